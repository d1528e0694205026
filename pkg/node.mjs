export { Engine, KeyPool, KeyrotaError, Lease, Refusal, classify, classifyStreamEvent, describe, isKeyrotaError } from './index.cjs'
