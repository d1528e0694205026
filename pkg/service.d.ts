export * from './types/service.cjs'
