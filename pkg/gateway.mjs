export { createGateway } from './gateway.cjs'
