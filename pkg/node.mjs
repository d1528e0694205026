export { Engine, KeyPool, KeyrotaError, Lease, Refusal, isKeyrotaError } from './index.cjs'
