export { Engine, KeyPool, KeyrotaError, Lease, Refusal, classify, classifyStreamEvent, isKeyrotaError } from './index.cjs'
