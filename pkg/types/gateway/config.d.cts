/**
 * The configuration of a gateway. It is plain data: it may stand in a file.
 * @module
 */
import type { AccessKey, BlacklistOptions, CooldownOptions, ErrorRule, ExhaustedOptions, Group, ProbeOptions, RollbackOptions, RouterOptions, StrategyName } from 'keyrota';
/**
 * Who may use the gateway, and what for. The key itself is nowhere in it. Its `models` bind the list `models` of a
 * body too, by which OpenRouter takes others in place of `model`; these names go to the provider as they are.
 */
export interface AccessKeyConfig extends Omit<AccessKey, 'expiresAt'> {
    /**
     * The SHA-256 of the key, in 64 hexadecimal digits. `printf %s "$KEY" | sha256sum` prints it. Let a key have
     * 128 random bits or more, since a short one can be guessed from its digest.
     */
    readonly sha256: string;
    /**
     * When it ceases to be valid: a date such as `2027-01-31` or `2027-01-31T12:00:00Z` (UTC, when it names no
     * zone), or milliseconds since the epoch. @defaultValue never
     */
    readonly expiresAt?: string | number | undefined;
}
/** Credentials behind one address, and what they serve. */
export interface GroupConfig extends Group {
    /**
     * Where the provider is: `https://api.openai.com`. The protocol's path is put behind it, such as
     * `/v1/chat/completions`. When it ends in a version (`/v1`, `/v1beta`, `/api/paas/v4`), that one stands in
     * place of the protocol's. A query (`?api-version=…`) goes along with each request.
     */
    readonly baseUrl: string;
    /**
     * What a blacklisted API key is tried with: a path that only a working key may GET, such as `/v1/key` of
     * OpenRouter, whose list of models needs none. It stands behind `baseUrl` as the protocol's paths do. `null` is
     * for a provider that has none: there a key comes back by `recover` alone, as it does when the answer is a 404 or
     * 405, which says nothing about a key.
     *
     * @defaultValue the list of models
     */
    readonly validatePath?: string | null | undefined;
}
/** How requests are tried again. */
export interface RetryConfig {
    /** How many attempts a request may have, the first included, from 1 to 100. @defaultValue what the router does */
    readonly maxAttempts?: number | undefined;
    /**
     * Whether an answer that ends without content is tried again elsewhere. @defaultValue `false`
     */
    readonly emptyResponses?: boolean | undefined;
    /**
     * Whether a request may be sent again when it was sent and no answer came: it may cost twice.
     *
     * @defaultValue `true` for GET, for counting tokens and with an `Idempotency-Key`, else `false`
     */
    readonly unanswered?: boolean | undefined;
    /**
     * How many retries the traffic as a whole may cost when providers fail or are too busy: `share` of the
     * requests (0 to 10), and `reserve` more. Going to another credential after a limit of one is not counted.
     *
     * @defaultValue `{ share: 0.2, reserve: 10 }`
     */
    readonly budget?: {
        readonly share?: number | undefined;
        readonly reserve?: number | undefined;
    } | undefined;
}
/** How long the gateway waits, in milliseconds; each from 1 to 2,147,483,647. */
export interface TimeoutConfig {
    /** For the body of a client's request, all of it. @defaultValue `30_000` */
    readonly bodyMs?: number | undefined;
    /**
     * For the content of an answer to begin, in each attempt. An answer in one piece begins when the model has
     * said it all. @defaultValue `120_000`
     */
    readonly firstByteMs?: number | undefined;
    /**
     * For an answer to begin, all attempts and waits of a request together, counted from when its body is here.
     * The default lets two attempts take as long as they may by default, and is well below the 10 minutes for
     * which most SDKs wait. @defaultValue `300_000`, or `firstByteMs` when that is more
     */
    readonly totalMs?: number | undefined;
    /** Between two chunks of an answer, while the client waits for one. @defaultValue `120_000` */
    readonly idleMs?: number | undefined;
}
/** The configuration of a gateway. */
export interface GatewayConfig {
    /** Who may use it. Ids and digests are unique. */
    readonly accessKeys: readonly AccessKeyConfig[];
    /** What serves. Ids are unique. */
    readonly groups: readonly GroupConfig[];
    /** How a credential is chosen within the tier. @defaultValue `'smooth'` */
    readonly strategy?: StrategyName | undefined;
    /** How conversations stay on their credential. @defaultValue for an hour, 10,000 of them */
    readonly affinity?: RouterOptions['affinity'];
    /**
     * Which responses an access key may continue, read or delete. `any`: every one whose id it knows. `own`: those
     * that it is known to have made through this gateway; of any other it is told that there is none. The 10,000
     * used last are known, in this process alone: with `own` one that was made in another process or isolate, or
     * before a restart, is refused too. What an input quotes by `item_reference` is not looked at.
     *
     * @defaultValue `'any'`
     */
    readonly continuations?: 'any' | 'own' | undefined;
    /** How requests are tried again. */
    readonly retry?: RetryConfig | undefined;
    /**
     * What happens when no credential can serve. `maxWaitMs` says how long each attempt of a request waits for
     * one, whatever the policy; it is 2,500 unless it is given. `timeouts.totalMs` bounds them all together.
     */
    readonly exhausted?: ExhaustedOptions | undefined;
    /** How long the gateway waits for clients and providers. */
    readonly timeouts?: TimeoutConfig | undefined;
    /** How long the body of a request may be, in bytes. @defaultValue `33_554_432`, which is 32 MiB */
    readonly limits?: {
        readonly bodyBytes?: number | undefined;
    } | undefined;
    /** The waits when a provider states none. A group's own goes before it. */
    readonly cooldown?: CooldownOptions | undefined;
    /** When one attempt is let through to see whether a rest can end. */
    readonly probe?: ProbeOptions | undefined;
    /** When failures of several credentials are the provider's. */
    readonly rollback?: RollbackOptions | undefined;
    /**
     * When a credential that keeps failing is taken for dead; `null` for never. A blacklisted API key is tried
     * again by {@link GroupConfig.validatePath}. @defaultValue `{}`: at the third failure in a row
     */
    readonly blacklist?: BlacklistOptions | null | undefined;
    /** How errors of a provider are read, before everything built in. A group's own go before these. */
    readonly rules?: readonly ErrorRule[] | undefined;
}
