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
     * Leases a credential of a group for the next attempt of a request by its plan; a negative number is
     * a refusal. The numbers are those of [`convert::request`], without what the plan says.
     */
    acquireRouted(plan: Plan, access_key: number, protocol: number, model: string | null | undefined, numbers: Uint32Array | number[]): number;
    /**
     * Leases a credential; a negative number is a refusal.
     */
    acquire(provider: number, low: number, high: number): number;
    /**
     * Whether somebody could have served at the last refusal, were it not for a cap.
     */
    atCapacity(): boolean;
    /**
     * Who could serve the request now.
     */
    candidates(provider: number, model: string | null | undefined, numbers: Uint32Array | number[]): Uint32Array;
    /**
     * Says whether a snapshot can be restored, and changes nothing.
     */
    checkSnapshot(snapshot: any): void;
    /**
     * Gives a provider other options from now on.
     */
    configure(provider: number, options: any): void;
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
     * Why a request would get what it would get.
     */
    inspect(access_key: number, protocol: number, model: string | null | undefined, numbers: Uint32Array | number[]): any;
    /**
     * Forgets that a provider's rows are loaded.
     */
    invalidate(provider: number): void;
    /**
     * Whether a provider's rows are loaded.
     */
    isLoaded(provider: number): boolean;
    /**
     * Takes in that a request was served with success by that credential, whose session had been `seen`.
     */
    learn(low: number, high: number, seen: Uint32Array | number[], provider: number, credential: number): void;
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
     * How long until the lease that began first ends by itself, in milliseconds; -1 when there is none.
     */
    nextExpiry(): number;
    /**
     * Chooses a credential without a lease; a negative number is a refusal.
     */
    pick(provider: number, low: number, high: number): number;
    /**
     * Tells a plan who makes the attempt that it planned: the credential that the request with these
     * numbers has just got.
     */
    place(plan: Plan, provider: number, credential: number, numbers: Uint32Array | number[]): void;
    /**
     * The number of a provider; its own options count at the first mention.
     */
    provider(name: string, options: any): number;
    /**
     * Ends the rests of a credential that its quota caused.
     */
    recoverQuota(provider: number, credential: number): boolean;
    /**
     * Brings a credential back by a person's word, whatever a verdict or the blacklist says of it.
     */
    recover(provider: number, credential: number): boolean;
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
     * Makes the pool a router, with settings that the TypeScript side has checked.
     */
    route(options: any): void;
    /**
     * The provider of the last routed lease.
     */
    routedTo(): number;
    /**
     * Seeds the random choices from a text.
     */
    seed(seed: string): void;
    /**
     * Where the session of the last routed lease was, as provider and credential; empty when nowhere.
     */
    sessionSeen(): Uint32Array;
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
    /**
     * Why the last request went nowhere.
     */
    turnedAwayFor(): string | undefined;
}

/**
 * The plan of one request.
 *
 * It belongs to no pool, so that a run may end it whenever the pool was disposed.
 */
export class Plan {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * What the next attempt asks of that provider: see [`convert::planned`].
     */
    asked(provider: number): Uint32Array;
    /**
     * Takes in how the attempt ended, among so many candidates; answers whether there may be another.
     */
    attempted(candidates: number, _class: string, scope: string, retry_other: boolean, phase: string): boolean;
    /**
     * Lets those who were not to blame be tried once more, among them those of the attempts with these
     * numbers, whose secret was renewed; answers false when there are none.
     */
    forgive(renewed: Uint32Array | number[]): boolean;
    /**
     * The plan of a request that may have so many attempts; a negative number is the default.
     */
    constructor(attempts: number, idempotent: boolean);
    /**
     * The numbers, from 0, of the failed attempts whose secret was refused and may be renewed by now.
     */
    refused(): Uint32Array;
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

/**
 * Whether a name leads to rules of its own.
 */
export function knowsDialect(name: string): boolean;

/** Gives the glue the exports of the instance that it is the glue of. */
export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
