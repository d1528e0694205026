/// <reference lib="esnext.disposable" />
export * from './types/gateway.cjs'
