/**
 * A `fetch` that uses a pool: one line in code that exists, for every SDK that takes a `fetch`.
 * @module
 */
import { type KeyPool } from 'keyrota';
import type { RequestFacts } from './fetch/facts.cjs';
import type { Outgoing } from './fetch/inject.cjs';
export type { Outgoing, RequestFacts };
/** The standard `fetch`. */
export type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
/** Options of {@link pooledFetch}. */
export interface PooledFetchOptions {
    /** Whose credentials serve. */
    readonly provider: string;
    /** Whose rules read the answers and where the secret goes. @defaultValue what the pool says of the provider */
    readonly dialect?: string | undefined;
    /**
     * The session of a request: its requests stay on one credential.
     *
     * @defaultValue what the request names (a session header, `prompt_cache_key`, `metadata.user_id`, a
     * conversation), else what all requests of a conversation begin with: instructions, tools and the first
     * user message
     */
    readonly session?: ((request: RequestFacts) => string | undefined) | undefined;
    /**
     * Puts the secret into a request, after the keys that the SDK put there were taken out.
     *
     * @defaultValue where the SDK put its own key, else where the dialect expects it
     */
    readonly inject?: ((request: Outgoing, secret: string) => void) | undefined;
    /**
     * How many attempts a request may have, the first included.
     *
     * @defaultValue one for each credential, at least 10 and at most 100
     */
    readonly maxAttempts?: number | undefined;
    /**
     * How long each attempt of a request waits for a credential when none can serve, in milliseconds.
     *
     * @defaultValue what the pool's `exhausted` says, at least 2,500, so that a computed pause is waited out
     */
    readonly maxWaitMs?: number | undefined;
    /**
     * How long a request may take until its answer begins, all attempts and waits together, in milliseconds.
     *
     * @defaultValue none
     */
    readonly timeoutMs?: number | undefined;
    /**
     * How many retries the traffic as a whole may cost a provider that fails or is too busy: `share` of the
     * requests, and `reserve` more. Going to another credential after a limit of one is not counted.
     *
     * @defaultValue `{ share: 0.2, reserve: 10 }`
     */
    readonly retryBudget?: {
        readonly share?: number;
        readonly reserve?: number;
    } | undefined;
    /**
     * Whether a request may be sent again when it was sent and no answer came.
     *
     * @defaultValue `true` for GET and HEAD and for requests with an `Idempotency-Key`, else `false`
     */
    readonly idempotent?: boolean | undefined;
    /**
     * Whether another credential is tried when the answer has ended as usual and has no content. Nobody is
     * blamed; if no other credential has more to say, the last answer is handed over. A stream is held back
     * until it has content or has ended.
     *
     * @defaultValue `false`
     */
    readonly retryEmptyResponses?: boolean | undefined;
    /**
     * How many bytes of a streamed request body are kept, so that it can be sent again. A longer one is sent
     * once. @defaultValue `0`: streamed bodies are sent once
     */
    readonly maxBufferedBytes?: number | undefined;
    /** What sends. @defaultValue the global `fetch` */
    readonly fetch?: Fetch | undefined;
}
/**
 * Makes a `fetch` that takes its key from a pool, reads what came back, and fails over.
 *
 * @remarks
 * Give it to an SDK with any API key: the key is taken out and the pool's is put in. Set the SDK's own
 * retries to 0; if it retries all the same, each retry is a request of its own. A stream is handed over when
 * it has content: an error before that fails over, nothing is sent again after it. When no credential can
 * serve, the answer is a 429 with `Retry-After`, or a 503 with `x-should-retry: false` when time does not help;
 * the SDK turns it into its own error.
 *
 * @returns the `fetch`
 * @throws {@link KeyrotaError} `invalid_option` or `unknown_option`
 *
 * @example
 * ```ts
 * const openai = new OpenAI({
 *   apiKey: 'pooled',
 *   maxRetries: 0,
 *   fetch: pooledFetch(pool, { provider: 'openai' }),
 * })
 * ```
 */
export declare function pooledFetch(pool: KeyPool, options: PooledFetchOptions): Fetch;
