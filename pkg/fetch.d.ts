/// <reference lib="esnext.disposable" />
export * from './types/fetch.cjs'
