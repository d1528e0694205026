/**
 * One request with fail-over: acquire, try, report, and try another credential while that is safe.
 * @module
 */
import type { Lease } from './lease.cjs';
import type { RunOptions, Verdict } from './types.cjs';
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
/**
 * What an attempt of {@link KeyPool.run} answers when the provider answered without any content, and the
 * attempt alone can know that: `run` tries another credential, and hands the value over if it was the last.
 * Nobody is blamed.
 */
export declare class EmptyAnswer<T> {
    /** By it the pool of one entry knows what another entry made, whose class is another. */
    readonly isEmptyAnswer: true;
    /** What `run` hands over. */
    readonly value: T;
    constructor(value: T);
}
/** Makes one attempt with the lease; `attempt` counts from 1. */
export type Attempt<T, L extends Lease = Lease> = (lease: L, attempt: number) => T | Underway<T> | EmptyAnswer<T> | PromiseLike<T | Underway<T> | EmptyAnswer<T>>;
/** What the core keeps of a request: what it tried, and what may come next. */
export interface Plan {
    /** Takes in how an attempt ended, among so many credentials; answers whether there may be another. */
    attempted(candidates: number, kind: string, scope: string, retryOther: boolean, phase: string): boolean;
    /** The numbers, from 0, of the failed attempts whose secret may be renewed by now. */
    refused(): Uint32Array;
    /** Lets those who were not to blame be tried once more; answers false when there are none. */
    forgive(renewed: Uint32Array): boolean;
}
/** What a request says of its attempts, whoever they are chosen by. */
export type RequestOptions = Pick<RunOptions, 'idempotent' | 'maxAttempts' | 'maxWaitMs' | 'retry' | 'retryEmptyResponses' | 'signal'>;
/** What a request needs of the pool. */
export interface Host<L extends Lease> {
    readonly plan: Plan;
    /** The next lease by the plan. It waits for at least so long, however little the options say. */
    acquire(leastWaitMs: number): Promise<L>;
    /** How many credentials the provider has, as far as it is loaded. */
    size(): number;
    /** Whether the credential of the lease has got another secret since. */
    hasOtherSecret(lease: L): Promise<boolean>;
}
/** How many attempts a request may have, checked; `undefined` leaves it to the plan. */
export declare function attemptsOf({ maxAttempts }: RequestOptions): number | undefined;
/** Runs `attempt` until it succeeds, until trying again cannot help, or until nobody is left. */
export declare function run<T, L extends Lease>(host: Host<L>, options: RequestOptions, attempt: Attempt<T, L>): Promise<T>;
/** Makes one attempt and answers what it means. */
export declare function attemptOnce(lease: Lease, attempt: (lease: Lease, attempt: number) => unknown): Promise<Verdict>;
