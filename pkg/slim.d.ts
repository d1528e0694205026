/// <reference lib="esnext.disposable" />
export * from './types/entry/slim.cjs'
