/// <reference lib="esnext.disposable" />
export * from './types/service.cjs'
