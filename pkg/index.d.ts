export * from './types/entry/default.cjs'
