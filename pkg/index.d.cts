/// <reference lib="esnext.disposable" />
export * from './types/entry/default.cjs'
