/* tslint:disable */
/* eslint-disable */

/**
 * A pool and its host.
 *
 * The host is called only while the pool is not borrowed, so that a callback may call the pool.
 */
export class Core {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * As `acquireFiltered`, for the credential that the caller's own strategy chose.
     */
    acquireChosen(provider: number, credential: number, model: string | null | undefined, numbers: Uint32Array | number[]): number;
    /**
     * As `acquire`, for a request that asks for more: see [`convert::request`] for its numbers.
     */
    acquireFiltered(provider: number, model: string | null | undefined, numbers: Uint32Array | number[]): number;
    /**
     * Leases that very credential, whatever is known of it.
     */
    acquireProbe(provider: number, credential: number): number;
    /**
     * Leases a credential; a negative number is a refusal.
     */
    acquire(provider: number, low: number, high: number): number;
    /**
     * Who could serve the request now.
     */
    candidates(provider: number, model: string | null | undefined, numbers: Uint32Array | number[]): Uint32Array;
    /**
     * Says whether a snapshot can be restored, and changes nothing.
     */
    checkSnapshot(snapshot: any): void;
    /**
     * Takes in that the app's storage keeps the credential disabled.
     */
    confirmDisabled(provider: number, credential: number): void;
    /**
     * Brings a disabled credential back.
     */
    enable(provider: number, credential: number): boolean;
    /**
     * Why each credential is chosen or passed over.
     */
    explain(provider: number, model: string | null | undefined, numbers: Uint32Array | number[]): any;
    /**
     * Where the credential of that id is: its provider and its number there; undefined when unknown.
     */
    find(id: string): Int32Array | undefined;
    /**
     * The generation of a provider's rows.
     */
    generation(provider: number): number;
    /**
     * The credential of the last lease times 8, plus the reason of the choice.
     */
    granted(): number;
    /**
     * The credential that the session is on and that could serve the request now, or -1.
     */
    home(provider: number, model: string | null | undefined, numbers: Uint32Array | number[]): number;
    /**
     * Forgets that a provider's rows are loaded.
     */
    invalidate(provider: number): void;
    /**
     * Whether a provider's rows are loaded.
     */
    isLoaded(provider: number): boolean;
    /**
     * Whether events should be told to the host.
     */
    listen(listening: boolean): void;
    /**
     * Takes in a provider's rows; undefined when they were asked for before an invalidation.
     */
    load(provider: number, generation: number, rows: Array<any>): any;
    /**
     * Whether the model of a request makes a difference: when not, it need not be told.
     */
    mindsModels(provider: number): boolean;
    /**
     * A pool without providers.
     */
    constructor(host: any, options: any);
    /**
     * Chooses a credential without a lease; a negative number is a refusal.
     */
    pick(provider: number, low: number, high: number): number;
    /**
     * The number of a provider; its own options count at the first mention.
     */
    provider(name: string, options: any): number;
    /**
     * Ends the rests of a credential that its quota caused.
     */
    recoverQuota(provider: number, credential: number): boolean;
    /**
     * Takes in whether there is a new secret for a credential whose old one was refused.
     */
    refreshed(provider: number, credential: number, has_new: boolean): void;
    /**
     * Forgets which credentials the session was on.
     */
    releaseSession(low: number, high: number): boolean;
    /**
     * Ends a lease without a verdict.
     */
    release(lease: number): void;
    /**
     * Remembers that a credential made a response.
     */
    remember(provider: number, low: number, high: number, credential: number): void;
    /**
     * Applies a status to the credential that the session is on; answers whether it is on one.
     */
    reportSession(provider: number, low: number, high: number, status: number): boolean;
    /**
     * Ends a lease with what came back, and answers what that means, also when the lease had ended.
     */
    report(lease: number, provider: number, outcome: any): any;
    /**
     * Ends every rest of a credential.
     */
    reset(provider: number, credential: number): boolean;
    /**
     * Goes on from a snapshot.
     */
    restore(snapshot: any): void;
    /**
     * The wait of the last refusal in milliseconds, or -1 when time does not help.
     */
    retryAfter(): number;
    /**
     * Seeds the random choices from a text.
     */
    seed(seed: string): void;
    /**
     * How many sessions are remembered.
     */
    sessions(): number;
    /**
     * Ends a lease when its status is a success that changes nothing; answers whether it did.
     */
    settle(lease: number, status: number): boolean;
    /**
     * All that must outlive the process.
     */
    snapshot(): any;
    /**
     * A random part of a wait that many share, in milliseconds.
     */
    spread(wait: number): number;
    /**
     * What is known of each credential.
     */
    status(provider: number): any;
    /**
     * Applies a success to the credential that the session got last.
     */
    succeedSession(low: number, high: number): void;
    /**
     * Drops what is forgotten and repeats what was not confirmed.
     */
    sweep(): void;
}

/**
 * Judges an outcome by the rules of a dialect, after those of the options; an `is_event` is one event
 * of a stream.
 */
export function classify(dialect: string, options: any, facts: any, now: number, is_event: boolean): any;

/**
 * The upper half of the last [`hash_low`].
 */
export function hashHigh(): number;

/**
 * Hashes a text; answers the lower half.
 */
export function hashLow(text: string): number;

/** Gives the glue the exports of the instance that it is the glue of. */
export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
