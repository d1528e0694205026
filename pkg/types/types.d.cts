/**
 * The words of the package as types.
 * @module
 */
/** One API key or subscription account, as the app's storage has it. */
export interface Credential {
    /** Unique in the pool. Health and sessions follow the id. */
    readonly id: string;
    /**
     * The key itself, or `$NAME` / `${NAME}` for an environment variable.
     *
     * @remarks It stays in JavaScript: the core, events, errors, snapshots and explanations never see it.
     */
    readonly secret: string;
    /** For people to read. */
    readonly label?: string | null | undefined;
    /** Whether it is switched on. @defaultValue `true` */
    readonly enabled?: boolean | undefined;
    /** Its share of the traffic, a whole number from 1 to 100. @defaultValue `1` */
    readonly weight?: number | undefined;
    /** Its place in the list, a whole number; rows of equal order keep their order. @defaultValue `0` */
    readonly order?: number | undefined;
    /** The highest priority that has a usable credential serves. A whole number. @defaultValue `0` */
    readonly priority?: number | undefined;
    /** The models that it serves. @defaultValue every model */
    readonly models?: readonly string[] | null | undefined;
    /**
     * Changes when the secret does, so that a replaced key is recognized after a restart.
     *
     * @defaultValue none: only a change within this process is recognized
     */
    readonly secretVersion?: string | null | undefined;
}
/** A credential that is written into the options: a bare secret, or an object whose id is optional. */
export type InlineCredential = string | (Omit<Credential, 'id'> & {
    readonly id?: string;
});
/** Which policy reads the outcomes: see the README's table of statuses. */
export type PolicyName = 'adaptive' | 'classic';
/** How a credential is chosen: see the README's section on strategies. */
export type StrategyName = 'weighted-round-robin' | 'smooth' | 'weighted-random' | 'least-busy' | 'fill-first' | 'rendezvous';
/** A credential as a custom strategy sees it. */
export interface StrategyCandidate {
    readonly id: string;
    readonly label: string | null;
    readonly weight: number;
    /** Leases in flight. */
    readonly inFlight: number;
    /** How often it was picked. */
    readonly picks: number;
}
/**
 * Chooses one of the candidates by its id.
 *
 * @remarks
 * It is asked only when the session is not on a credential that can serve. It must be synchronous;
 * what it throws, or an id that is none of the candidates', becomes a `strategy_failed` error.
 */
export type StrategyFunction = (candidates: readonly StrategyCandidate[], request: AcquireRequest) => string;
/** The ladder of waits when the provider states none: `baseMs * multiplier^(level - 1)`, capped. */
export interface CooldownOptions {
    /** The wait at level 1, in milliseconds. @defaultValue `60_000` */
    readonly baseMs?: number | undefined;
    /** What each level multiplies the wait by; 1 or more. @defaultValue `2` */
    readonly multiplier?: number | undefined;
    /** The longest computed wait, in milliseconds. @defaultValue `900_000` */
    readonly capMs?: number | undefined;
    /** How long after its end a cooldown's level is forgotten, in milliseconds. @defaultValue `900_000` */
    readonly forgetAfterMs?: number | undefined;
}
/** How sessions stay on their credentials. */
export interface AffinityOptions {
    /** How many sessions are remembered; the one unused for longest leaves. @defaultValue `10_000` */
    readonly capacity?: number | undefined;
    /** How long after its last use a session is forgotten, in milliseconds. @defaultValue never */
    readonly ttlMs?: number | undefined;
}
/** Options that a provider may have of its own. */
export interface ProviderOptions {
    /** @defaultValue `'adaptive'` */
    readonly policy?: PolicyName | undefined;
    /** @defaultValue `'weighted-round-robin'` */
    readonly strategy?: StrategyName | StrategyFunction | undefined;
    /** The ladder of rate limits, quotas and refused secrets. */
    readonly cooldown?: CooldownOptions | undefined;
}
/** Why a credential was kept off. */
export interface DisableReason {
    readonly provider: string;
    /** The verdict, such as `auth_failed`. */
    readonly class: VerdictClass;
}
/** Options of a {@link KeyPool}. Either `load` or `credentials` is needed. */
export interface KeyPoolOptions extends ProviderOptions {
    /**
     * Storage callback: the rows of a provider.
     *
     * @remarks
     * It is called once per provider, and again after {@link KeyPool.invalidate}. Callers that come
     * meanwhile wait for the same call. What it rejects with reaches all of them as `load_failed`.
     */
    readonly load?: ((provider: string) => readonly Credential[] | PromiseLike<readonly Credential[]>) | undefined;
    /** Credentials by provider, for an app without a database. They go before `load`. */
    readonly credentials?: Readonly<Record<string, readonly InlineCredential[]>> | undefined;
    /**
     * Storage callback: keep the credential disabled.
     *
     * @remarks
     * Answer `true` once it is stored. Until then the credential stays off here whatever the loader
     * says, and the callback is called again every 30 s; afterwards `enabled: true` in a later load
     * brings the credential back. @defaultValue none: off until `enable`, or until the process ends
     */
    readonly disable?: ((id: string, why: DisableReason) => boolean | PromiseLike<boolean>) | undefined;
    /**
     * The provider-level key, used only when the provider has no rows at all. It is resolved as the
     * `secret` of a row is.
     */
    readonly fallbackSecret?: ((provider: string) => string | null | undefined | PromiseLike<string | null | undefined>) | undefined;
    /** Time source: milliseconds since the epoch. @defaultValue `Date.now` */
    readonly now?: (() => number) | undefined;
    /**
     * Turns the `secret` of a row into the key. `undefined`, `null` or `''` means that it is not there,
     * and the credential is passed over as `secret_unresolved`.
     *
     * @defaultValue `$NAME` and `${NAME}` are read from the environment; anything else is the key
     */
    readonly resolveSecret?: ((secret: string) => string | null | undefined | PromiseLike<string | null | undefined>) | undefined;
    /** How sessions stay on their credentials. */
    readonly affinity?: AffinityOptions | undefined;
    /** Makes random choices repeatable. @defaultValue random, drawn at the first choice that needs it */
    readonly seed?: string | number | undefined;
    /** How long an unreported lease counts as in flight, in milliseconds. @defaultValue `600_000` */
    readonly leaseTtlMs?: number | undefined;
    /** Options of single providers. */
    readonly providers?: Readonly<Record<string, ProviderOptions>> | undefined;
}
/** What an attempt is for. */
export interface AcquireRequest {
    /** Whose credentials. */
    readonly provider: string;
    /** Requests of one session stay on one credential while it can serve. */
    readonly session?: string | undefined;
    /** The model that is needed. Only rows that list models look at it. */
    readonly model?: string | undefined;
    /** Ids of credentials to pass over: those that this request has tried. */
    readonly tried?: readonly string[] | undefined;
}
/** What {@link KeyPool.acquire} takes. */
export interface AcquireOptions extends AcquireRequest {
    /** How long to wait for a credential when none can serve, in milliseconds. @defaultValue `0` */
    readonly maxWaitMs?: number | undefined;
    /** Stops waiting and loading. A lease that was granted is not affected. */
    readonly signal?: AbortSignal | undefined;
}
/** What {@link KeyPool.run} takes. */
export interface RunOptions extends AcquireOptions {
    /**
     * Whether the request may be sent again when it is unknown what became of it.
     *
     * @defaultValue `false`
     */
    readonly idempotent?: boolean | undefined;
    /** How many attempts at the most, the first included. @defaultValue `10` */
    readonly maxAttempts?: number | undefined;
}
/** What kind of thing an outcome is. */
export type VerdictClass = 'ok' | 'rate_limited' | 'overloaded' | 'quota_exhausted' | 'auth_failed' | 'model_denied' | 'client_error' | 'server_error' | 'egress_blocked' | 'unknown_outcome' | 'client_aborted';
/** What an outcome means. */
export interface Verdict {
    readonly class: VerdictClass;
    /** What it is about. */
    readonly scope: 'none' | 'request' | 'credential' | 'provider' | 'egress';
    /** The wait that the provider stated, in milliseconds. */
    readonly waitMs: number | null;
    /** Where that was read. */
    readonly waitFrom: string | null;
    /** Whether the credential is proven dead. */
    readonly disable: boolean;
    /** Whether another credential may fare better. */
    readonly retryOther: boolean;
}
/** Why a lease has its credential. */
export type ChoiceReason = 
/** The strategy chose it. */
'strategy'
/** The session was on it before. */
 | 'affinity'
/** The session was on another, which cannot serve now, or ranks below one that can. */
 | 'rebound';
/** Why a credential is chosen or passed over. The codes are stable. */
export type ReasonCode = 'chosen' | 'available' | 'lower_priority' | 'already_tried' | 'model_not_exposed' | 'cooling' | 'disabled_by_hand' | 'disabled_by_verdict' | 'secret_unresolved' | 'invalid_credential';
/** One credential in an {@link Explanation}. */
export interface ExplainedCandidate {
    readonly id: string;
    readonly reason: ReasonCode;
    /** When it may serve again, in milliseconds since the epoch. */
    readonly until: number | null;
    /** The verdict that holds it. */
    readonly cause: VerdictClass | null;
    /** Whether the provider stated `until`. */
    readonly stated: boolean;
    /** `invalid_credential`, `secret_unresolved`: the field that is wrong. */
    readonly field: string | null;
    /** What is wrong with it: the rule that it breaks, or the variable that is not set. */
    readonly rule: string | null;
}
/** What a request would get now, and why. */
export interface Explanation {
    readonly provider: string;
    /** Whether its rows are loaded. */
    readonly loaded: boolean;
    /** The id that would serve; `null` when none can, or when a custom strategy would be asked. */
    readonly choice: string | null;
    /** How long until one can, in milliseconds; `null` when time alone does not help. */
    readonly retryAfterMs: number | null;
    /** Every row, by priority, then in order; rows that break a rule come last. */
    readonly candidates: readonly ExplainedCandidate[];
}
/** What is known of one credential. */
export interface StatusRow {
    readonly id: string;
    readonly label: string | null;
    readonly weight: number;
    readonly priority: number;
    /** `available`, or why it is not. */
    readonly state: ReasonCode;
    /** When it may serve again, in milliseconds since the epoch. */
    readonly until: number | null;
    /** The step of the ladder that it stands on; 0 when it has no recent failures. */
    readonly level: number;
    /** The verdict that holds it. */
    readonly cause: VerdictClass | null;
    /** Leases in flight. */
    readonly inFlight: number;
    readonly picks: number;
    readonly successes: number;
    /** Answers that say something against the credential or its server. */
    readonly failures: number;
    /** When it was last picked, in milliseconds since the epoch. */
    readonly lastUsedAt: number | null;
}
/** Health, order and sessions, as JSON. Its inside may change between versions. */
export interface Snapshot {
    readonly format: 'keyrota';
    readonly version: number;
    /** When it was taken, in milliseconds since the epoch. */
    readonly takenAt: number;
}
