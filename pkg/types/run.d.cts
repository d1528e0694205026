/**
 * One request with fail-over: acquire, try, report, and try another credential while that is safe.
 * @module
 */
import type { Lease } from './lease.cjs';
import type { AcquireOptions, RunOptions, Verdict } from './types.cjs';
/**
 * What an attempt of {@link KeyPool.run} answers when its answer is still coming, such as a stream: `run`
 * hands the value over, and whoever reads it reports the lease when it has ended.
 */
export declare class Underway<T> {
    /** By it the pool of one entry knows what another entry made, whose class is another. */
    readonly isUnderway: true;
    /** What `run` hands over. */
    readonly value: T;
    constructor(value: T);
}
/** Makes one attempt with the lease; `attempt` counts from 1. */
export type Attempt<T> = (lease: Lease, attempt: number) => T | Underway<T> | PromiseLike<T | Underway<T>>;
/** What a request needs of the pool. */
export interface Host {
    /** It waits for at least so long, however little the options say. */
    acquire(options: AcquireOptions, leastWaitMs: number): Promise<Lease>;
    /** How many credentials the provider has, as far as it is loaded. */
    size(): number;
    /** Whether the credential of the lease has got another secret since. */
    hasOtherSecret(lease: Lease): Promise<boolean>;
}
/** Runs `attempt` until it succeeds, until trying again cannot help, or until nobody is left. */
export declare function run<T>(host: Host, options: RunOptions, attempt: Attempt<T>): Promise<T>;
/** Makes one attempt and answers what it means. */
export declare function attemptOnce(lease: Lease, attempt: (lease: Lease, attempt: number) => unknown): Promise<Verdict>;
