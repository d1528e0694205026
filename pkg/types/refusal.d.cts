/**
 * A refusal: no credential can serve, and why.
 * @module
 */
import { KeyrotaError } from './errors.cjs';
import type { Explanation } from './types.cjs';
/** Why `tryAcquire` granted nothing. It is an answer, not an error. */
export declare class Refusal {
    /** `not_loaded`: use `acquire`, which loads. */
    readonly code: 'no_credential_available' | 'not_loaded';
    readonly provider: string;
    /** How long until a credential is back, in milliseconds; `null` when time alone does not help. */
    readonly retryAfterMs: number | null;
    /** Whether one could serve now, were it not for a cap: the end of an attempt helps. */
    readonly atCapacity: boolean;
    /** Tells a refusal from a lease. */
    get ok(): false;
    /** Why each credential is passed over at this moment. */
    get explanation(): Explanation;
    /** The refusal as an error to throw. */
    toError(): KeyrotaError;
}
