/**
 * The pool: chooses a credential for each attempt, and learns from how it ended.
 * @module
 */
import type { KeyPoolEvent, KeyPoolEvents } from './events.cjs';
import { Lease } from './lease.cjs';
import type { KeyPoolOptions } from './option-types.cjs';
import { Refusal } from './refusal.cjs';
import { type Attempt } from './run.cjs';
import type { AcquireOptions, AcquireRequest, Explanation, RunOptions, Snapshot, StatusRow, Verdict } from './types.cjs';
/**
 * A pool of API keys for any number of providers.
 *
 * @remarks
 * It holds no timers and no connections; {@link KeyPool.dispose} frees its memory. One pool per
 * process is the rule; several do not disturb each other.
 *
 * @example Three keys, a session that stays on its key, and fail-over when one is rate limited
 * ```ts
 * const pool = new KeyPool({ credentials: { openai: ['$OPENAI_KEY_1', '$OPENAI_KEY_2'] } })
 * const answer = await pool.run({ provider: 'openai', session: chat.id }, (lease) =>
 *   fetch(url, { headers: { authorization: `Bearer ${lease.secret}` }, method: 'POST', body }),
 * )
 * ```
 */
export declare class KeyPool {
    /**
     * Makes a pool. Nothing is loaded yet but what stands in `credentials`.
     *
     * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path;
     * `wasm_blocked` or `unsupported_engine` when WebAssembly cannot be used here
     */
    constructor(options: KeyPoolOptions);
    /**
     * Leases a credential for one attempt, loading the provider's rows first if need be.
     *
     * @throws {@link KeyrotaError} `no_credential_available` when none can serve within `maxWaitMs`: its
     * `retryAfterMs` and `explanation` say when and why. `load_failed` and `invalid_rows` when the
     * loader failed: nothing was cached, so the next call asks again
     * @throws the signal's reason, if `signal` aborts first
     */
    acquire(options: AcquireOptions): Promise<Lease>;
    /**
     * Leases a credential at once, or says why not. The provider must be loaded: see {@link KeyPool.load}.
     *
     * @returns a lease or a refusal, told apart by `ok`
     */
    tryAcquire(request: AcquireRequest): Lease | Refusal;
    /** Loads a provider's rows now rather than at the first {@link KeyPool.acquire}. */
    load(provider: string): Promise<void>;
    /**
     * Makes one request with fail-over: acquires, calls `attempt`, reports, and tries another credential
     * while that can help and is safe.
     *
     * @remarks
     * `attempt` answers a `Response` (or anything with a `status`), or throws what an SDK throws; both
     * are read. Turn off the SDK's own retries. Each credential is tried once; one that was not to blame
     * may be tried again when nobody else is left. After a failure a lower `priority` comes before the rest
     * of the same one, and none above again. A short pause of the provider is waited out.
     *
     * @returns what the last attempt answered
     * @throws what the last attempt threw; what {@link KeyPool.acquire} throws when there was none
     */
    run<T>(options: RunOptions, attempt: Attempt<T>): Promise<T>;
    /**
     * Finds out whether a credential works, whatever is known of it: one that rests, or that a verdict
     * disabled, too. A success ends its rests and brings it back, also from the blacklist, unless it is a
     * subscription: {@link KeyPool.recover} is for that. What a person switched off stays off. It is an attempt
     * like any other, and no `maxConcurrent` stops it.
     *
     * @param id - the credential's id
     * @param send - makes one attempt with `lease.secret`; answers or throws as in {@link KeyPool.run}
     * @returns what the attempt means
     * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id;
     * `no_credential_available` when it has no secret
     *
     * @example A button that tests one key
     * ```ts
     * const verdict = await pool.probe('team-key', (lease) =>
     *   fetch('https://api.openai.com/v1/models', { headers: { authorization: `Bearer ${lease.secret}` } }),
     * )
     * ```
     */
    probe(id: string, send: (lease: Lease) => unknown): Promise<Verdict>;
    /**
     * Says which credential a request would get now, and why each other one is passed over. It changes
     * nothing.
     */
    explain(request: AcquireRequest): Explanation;
    /** What is known of each credential of a provider, by priority, then in order. */
    status(provider: string): StatusRow[];
    /**
     * Brings a credential back by a person's word, with clean health: off the blacklist, whatever was counted
     * towards it forgotten, its rests ended with those of its models and its quota group, and a verdict against
     * it lifted. What is `enabled: false` stays off.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
     */
    recover(id: string): void;
    /**
     * Takes in that a quota or a balance is there again: ends the rests that it caused, of the credential,
     * its models and its quota group, and its blacklisting. Other rests keep their time.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
     */
    recoverQuota(id: string): void;
    /**
     * Ends every rest of a credential, those of its models and of its quota group too. One that is blacklisted
     * or disabled stays so.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
     */
    reset(id: string): void;
    /**
     * Brings a disabled or blacklisted credential back with clean health. If the app's storage has it disabled, change
     * it there too: the next load counts.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
     */
    enable(id: string): void;
    /** Drops the loaded rows of one provider, or of all: the next call loads anew. Health is kept. */
    invalidate(provider?: string): void;
    /**
     * Whose rules read the answers of a provider: what its options or the pool's say, else its own name.
     *
     * @example The place of a key follows the dialect, whatever a team calls its provider
     * ```ts
     * const header = pool.dialectOf('team-a') === 'anthropic' ? 'x-api-key' : 'authorization'
     * ```
     */
    dialectOf(provider: string): string;
    /** Forgets which credentials a session was on; answers whether any was known. */
    releaseSession(session: string): boolean;
    /**
     * Calls `listener` whenever the event happens.
     *
     * @returns what removes the listener
     */
    on<Name extends KeyPoolEvent>(event: Name, listener: (event: KeyPoolEvents[Name]) => void): () => void;
    /** Health, order and sessions as JSON, without secrets and rows, to go on after a restart. */
    snapshot(): Snapshot;
    /**
     * Goes on where a snapshot was taken. Rows stay loaded; leases in flight end without a verdict.
     *
     * @throws {@link KeyrotaError} `snapshot_malformed` or `snapshot_newer_version`; the pool is as it was
     */
    restore(snapshot: unknown): void;
    /** Frees the pool's memory. Every later call throws `disposed`. */
    dispose(): void;
    /** {@link KeyPool.dispose}, for `using`. */
    [Symbol.dispose](): void;
}
