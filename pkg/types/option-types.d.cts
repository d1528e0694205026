/**
 * What a pool and its providers can be told, as types.
 * @module
 */
import type { AcquireRequest, Credential, ErrorRule, InlineCredential, VerdictClass } from './types.cjs';
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
export interface LadderOptions {
    /** The wait at level 1, in milliseconds. @defaultValue `60_000` */
    readonly baseMs?: number | undefined;
    /** What each level multiplies the wait by; 1 or more. @defaultValue `2` */
    readonly multiplier?: number | undefined;
    /** The longest computed wait, in milliseconds. @defaultValue `900_000` */
    readonly capMs?: number | undefined;
    /** How long after its end a cooldown's level is forgotten, in milliseconds. @defaultValue `900_000` */
    readonly forgetAfterMs?: number | undefined;
}
/** How long what rests, when its provider states no time. A stated time is kept whole. */
export interface CooldownOptions extends LadderOptions {
    /** Overload and server errors of a credential or a model. @defaultValue 2 s, doubling, at most 60 s */
    readonly overload?: LadderOptions | undefined;
    /** A model that a credential may not use. @defaultValue 15 min */
    readonly denied?: LadderOptions | undefined;
    /** A provider that fails for everyone. @defaultValue 250 ms, doubling, at most 2 s */
    readonly pause?: LadderOptions | undefined;
    /**
     * By which part of itself a computed wait of `overload` and `pause` is lengthened at most, at random,
     * so that those who share it do not all come back at once. From 0 to 1. @defaultValue `0.1`
     */
    readonly jitter?: number | undefined;
    /**
     * The longest computed wait after overload and server errors that counts while the provider has but
     * one credential that is not disabled, in milliseconds. @defaultValue `2_000`
     */
    readonly aloneMs?: number | undefined;
}
/** When one attempt is let through to see whether a rest can end. */
export interface ProbeOptions {
    /** How long a probe that is not reported holds the others back, in milliseconds. @defaultValue `60_000` */
    readonly ttlMs?: number | undefined;
    /** How often a long stated wait is probed, in milliseconds. @defaultValue `900_000` */
    readonly everyMs?: number | undefined;
    /** A stated wait above this is a long one, in milliseconds. @defaultValue `3_600_000` */
    readonly longerThanMs?: number | undefined;
}
/**
 * When failures of several credentials are the provider's: their rests end, and the provider pauses.
 */
export interface RollbackOptions {
    /** How many credentials must fail alike. @defaultValue `3` */
    readonly credentials?: number | undefined;
    /** How many requests they must come from. @defaultValue `2` */
    readonly requests?: number | undefined;
    /** Within how long, in milliseconds. @defaultValue `5_000` */
    readonly withinMs?: number | undefined;
}
/** What happens when no credential can serve. */
export interface ExhaustedOptions {
    /**
     * `refuse`: an error with the time and the reasons. `wait`: the same, after waiting for the first to come
     * back. `fail-open`: the one that recovers first serves although it rests.
     *
     * @defaultValue `'refuse'`
     */
    readonly policy?: 'refuse' | 'wait' | 'fail-open' | undefined;
    /** With `wait`: how long at the most, in milliseconds. @defaultValue `30_000` */
    readonly maxWaitMs?: number | undefined;
}
/** How sessions stay on their credentials. */
export interface AffinityOptions {
    /** How many sessions are remembered; the one unused for longest leaves. @defaultValue `10_000` */
    readonly capacity?: number | undefined;
    /** How long after its last use a session is forgotten, in milliseconds. @defaultValue never */
    readonly ttlMs?: number | undefined;
    /**
     * How long after its last use a session still goes back to the credential that it had to leave, in
     * milliseconds: as long as its provider keeps the prompt cache. @defaultValue `300_000`
     */
    readonly homeMs?: number | undefined;
}
/**
 * When a credential is taken for dead without a proof. A cooldown assumes a fault that passes; the blacklist a
 * key that was revoked, or an account that nobody pays.
 *
 * @remarks
 * Failures count that say so of the credential itself: its secret was refused without a proof, or its quota
 * is used up and nobody said until when. All others neither count nor are they forgotten for. One success
 * begins the count anew, and a burst counts once.
 */
export interface BlacklistOptions {
    /** How many of them one after the other it takes, from 1 to 1,000. @defaultValue `3` */
    readonly threshold?: number | undefined;
    /**
     * How often a blacklisted API key is tried by {@link KeyPoolOptions.validate}, in milliseconds: at the first
     * call of the pool after that time. @defaultValue `300_000`
     */
    readonly validateEveryMs?: number | undefined;
}
/** Options that a provider may have of its own. */
export interface ProviderOptions {
    /** @defaultValue `'adaptive'` */
    readonly policy?: PolicyName | undefined;
    /** @defaultValue `'weighted-round-robin'` */
    readonly strategy?: StrategyName | StrategyFunction | undefined;
    /** The waits when the provider states none: rate limits, quotas, refused secrets, and the others. */
    readonly cooldown?: CooldownOptions | undefined;
    /** Whose rules read the outcomes, such as `openai`. @defaultValue the provider's own name */
    readonly dialect?: string | undefined;
    /** Rules of your own. A provider's own go before those of the pool, at most 100 together. */
    readonly rules?: readonly ErrorRule[] | undefined;
    /** What happens when no credential can serve. */
    readonly exhausted?: ExhaustedOptions | undefined;
    /** When one attempt is let through to see whether a rest can end. */
    readonly probe?: ProbeOptions | undefined;
    /** When failures of several credentials are the provider's. */
    readonly rollback?: RollbackOptions | undefined;
    /**
     * How many attempts may be under way at once on all credentials of a provider together, from 1 to
     * 1,000,000. It holds for each provider by itself. A provider's own `null` lifts that of the pool.
     *
     * @defaultValue any number
     */
    readonly maxConcurrent?: number | null | undefined;
    /**
     * When a credential is taken for dead without a proof; `{}` for the defaults. A provider's own `null` turns
     * off that of the pool.
     *
     * @defaultValue never
     */
    readonly blacklist?: BlacklistOptions | null | undefined;
}
/** What {@link KeyPoolOptions.validate} gets: the lease of one attempt. */
export interface ValidatedLease {
    /** The provider's name. */
    readonly provider: string;
    /** Which credential is tried. */
    readonly credential: {
        readonly id: string;
        readonly label: string | null;
    };
    /** The key itself. Put it into a header, and nowhere else. */
    readonly secret: string;
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
     * Asked for a new secret of a `refreshable` credential before an authentication failure counts.
     *
     * @remarks
     * Answer the new secret, and store it where the loader finds it. When it rejects, or answers none, the
     * failure counts: the credential rests, or is disabled if it is proven dead. A new secret that is refused
     * too disables it. @defaultValue none: every authentication failure counts
     */
    readonly refresh?: ((id: string) => string | null | undefined | PromiseLike<string | null | undefined>) | undefined;
    /**
     * Tries a blacklisted API key again, one attempt with `lease.secret`, as {@link KeyPool.probe} does.
     *
     * @remarks
     * It is called every `blacklist.validateEveryMs`, at the next call of the pool, and never twice at once for
     * one key. Answer a `Response` (or anything with a `status`), or throw what an SDK throws. A success brings
     * the key back with clean health; anything else keeps it on the list. Subscriptions are never tried:
     * {@link KeyPool.recover} brings them back. Without {@link ProviderOptions.blacklist} it is never called.
     * @defaultValue none: blacklisted until `recover`, or a `probe`
     */
    readonly validate?: ((lease: ValidatedLease) => unknown) | undefined;
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
