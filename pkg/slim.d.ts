export * from './types/entry/slim.cjs'
