export { Engine, KeyPool, KeyrotaError, Lease, Options, Refusal, Underway, classify, classifyStreamEvent, describe, isKeyrotaError } from './index.cjs'
