/**
 * The words of the package as types.
 * @module
 */

/** One API key or subscription account, as the app's storage has it. */
export interface Credential {
  /** Unique in the pool. Health and sessions follow the id. */
  readonly id: string
  /**
   * The key itself, or `$NAME` / `${NAME}` for an environment variable.
   *
   * @remarks It stays in JavaScript: the core, events, errors, snapshots and explanations never see it.
   */
  readonly secret: string
  /** For people to read. */
  readonly label?: string | null | undefined
  /** Whether it is switched on. @defaultValue `true` */
  readonly enabled?: boolean | undefined
  /** Its share of the traffic, a whole number from 1 to 100. @defaultValue `1` */
  readonly weight?: number | undefined
  /** Its place in the list, a whole number; rows of equal order keep their order. @defaultValue `0` */
  readonly order?: number | undefined
  /** The highest priority that has a usable credential serves. A whole number. @defaultValue `0` */
  readonly priority?: number | undefined
  /** The models that it serves. @defaultValue every model */
  readonly models?: readonly string[] | null | undefined
  /**
   * How many attempts may be under way on it at once, a whole number from 1 to 1,000,000. One more goes to
   * another credential, or waits, or is refused as `at_capacity`.
   *
   * @defaultValue any number
   */
  readonly maxConcurrent?: number | null | undefined
  /**
   * What it is: a key that works until it is revoked, or an account whose owner has to authorise its use.
   *
   * @defaultValue `'api-key'`
   */
  readonly kind?: 'api-key' | 'subscription' | undefined
  /**
   * Whether the authorisation of a `subscription` is good. While it is not, the account serves nobody
   * (`auth_unavailable`). A row of an API key that says `false` breaks a rule.
   *
   * @defaultValue `true`
   */
  readonly authorized?: boolean | undefined
  /** Credentials of the same quota group share an account, and what its provider says of it. */
  readonly quotaGroup?: string | null | undefined
  /**
   * Whether the option `refresh` can have a new secret when this one is refused.
   *
   * @defaultValue `false`
   */
  readonly refreshable?: boolean | undefined
  /**
   * Changes when the secret does, so that a replaced key is recognized after a restart.
   *
   * @defaultValue none: only a change within this process is recognized
   */
  readonly secretVersion?: string | null | undefined
}

/** A credential that is written into the options: a bare secret, or an object whose id is optional. */
export type InlineCredential = string | (Omit<Credential, 'id'> & { readonly id?: string })

/** What an attempt is for. */
export interface AcquireRequest {
  /** Whose credentials. */
  readonly provider: string
  /** Requests of one session stay on one credential while it can serve. */
  readonly session?: string | undefined
  /** The model that is needed: credentials may serve some models only, or rest for one. */
  readonly model?: string | undefined
  /**
   * The id of a response that the request continues, as {@link Lease.remember} had it: only the credential
   * that made it can serve. Of an id that is not remembered nothing is known, and any may serve.
   */
  readonly continues?: string | undefined
  /** Ids of credentials to pass over: those that this request has tried. */
  readonly tried?: readonly string[] | undefined
}

/** What {@link KeyPool.acquire} takes. */
export interface AcquireOptions extends AcquireRequest {
  /**
   * How long to wait for a credential when none can serve, in milliseconds: until one is back, or until an
   * attempt ends on one that is at its `maxConcurrent`.
   *
   * @defaultValue `0`, or what {@link KeyPoolOptions.exhausted} says with `wait`
   */
  readonly maxWaitMs?: number | undefined
  /** Stops waiting and loading. A lease that was granted is not affected. */
  readonly signal?: AbortSignal | undefined
}

/** What {@link KeyPool.run} takes. */
export interface RunOptions extends AcquireOptions {
  /**
   * How long each attempt waits for a credential when none can serve, in milliseconds.
   *
   * @defaultValue what `exhausted` says, but 2.5 s at least, so that a computed pause of the provider is
   * waited out
   */
  readonly maxWaitMs?: number | undefined
  /**
   * Whether the request may be sent again when it is unknown what became of it.
   *
   * @defaultValue `false`
   */
  readonly idempotent?: boolean | undefined
  /**
   * How many attempts at the most, the first included.
   *
   * @defaultValue one for each credential of the provider, at least 10 and at most 100
   */
  readonly maxAttempts?: number | undefined
  /**
   * Asked before another attempt, with what the last one means and how many there were: `false` gives up.
   *
   * @defaultValue another attempt is made whenever it may help and is safe
   */
  readonly retry?: ((verdict: Verdict, attempts: number) => boolean) | undefined
  /**
   * Whether another credential is tried when the answer has ended as usual and has no content: a `Response`
   * or an object whose choices, content, output or candidates are empty. Nobody is blamed; if no other
   * credential has more to say, the last answer is returned. A stream is not looked into: see
   * {@link EmptyAnswer}.
   *
   * @defaultValue `false`
   */
  readonly retryEmptyResponses?: boolean | undefined
}

/** What kind of thing an outcome is. */
export type VerdictClass =
  | 'ok'
  | 'rate_limited'
  | 'overloaded'
  | 'quota_exhausted'
  | 'auth_failed'
  | 'model_denied'
  | 'client_error'
  | 'over_key_limit'
  | 'server_error'
  | 'egress_blocked'
  | 'unknown_outcome'
  | 'client_aborted'

/** What a verdict is about: `model` is the credential for one model, `account` its quota group. */
export type VerdictScope =
  | 'none'
  | 'request'
  | 'credential'
  | 'model'
  | 'account'
  | 'provider'
  | 'egress'

/**
 * What a verdict rests on: a structured code, a known sentence in an error field, a page in place of an
 * answer, or the status alone.
 */
export type Evidence = 'code' | 'sentence' | 'html' | 'status'

/** A rule of your own: how an error is read. The first that matches goes before all that are built in. */
export interface ErrorRule {
  /** The status that it needs. */
  readonly status?: number | undefined
  /** The error's structured code, type or status. */
  readonly code?: string | undefined
  /** A text that the body contains; case does not matter. */
  readonly bodyIncludes?: string | undefined
  /** The dialect that it is for. @defaultValue every one */
  readonly provider?: string | undefined
  /** What such an error means: a class alone, or with what differs from its usual effect. */
  readonly effect: VerdictClass | ErrorEffect
}

/** What an error means, as far as it differs from the usual effect of its class. */
export interface ErrorEffect {
  readonly class: VerdictClass
  readonly scope?: VerdictScope | undefined
  /** In milliseconds. @defaultValue what the response states */
  readonly waitMs?: number | undefined
  readonly disable?: boolean | undefined
  readonly retryOther?: boolean | undefined
}

/** What {@link classify} takes. */
export interface ClassifyInput {
  /** The dialect whose rules read it, such as `openai`; an unknown one is read by the general rules. */
  readonly provider: string
  /** The HTTP status; nothing when no response came. */
  readonly status?: number | null | undefined
  /** A `Headers`, a plain object or a list of pairs; names in any case. */
  readonly headers?: unknown
  /** Text, bytes, or the JSON as an object. */
  readonly body?: unknown
  /** How far the attempt had come. @defaultValue `'response'` */
  readonly phase?: Phase | null | undefined
  /** The error code of the network layer, or the name of an abort error. */
  readonly networkCode?: string | null | undefined
  /** The model that was asked for. */
  readonly model?: string | null | undefined
  /** The local time, for waits that are stated as moments. @defaultValue now */
  readonly now?: number | Date | string | undefined
  /** Rules of your own, at most 100. */
  readonly rules?: readonly ErrorRule[] | undefined
}

/** What {@link classifyStreamEvent} takes. */
export interface StreamEventInput extends Omit<ClassifyInput, 'status' | 'body' | 'networkCode'> {
  /** The event as it came: the text of its data, all of its lines, or its JSON as an object. */
  readonly event: unknown
}

/** How far an attempt had come when it ended. */
export type Phase =
  | 'before_send'
  | 'sent_no_response'
  | 'before_content'
  | 'after_content'
  | 'response'

/** What an outcome means. */
export interface Verdict {
  readonly class: VerdictClass
  /** What it is about. */
  readonly scope: VerdictScope
  /** The wait that the provider stated, in milliseconds. */
  readonly waitMs: number | null
  /** Where that was read. */
  readonly waitFrom: string | null
  /** What class and scope rest on. */
  readonly evidence: Evidence
  /** Whether the credential is proven dead. */
  readonly disable: boolean
  /** Whether another credential may fare better. */
  readonly retryOther: boolean
}

/** Why a lease has its credential. */
export type ChoiceReason =
  /** The strategy chose it. */
  | 'strategy'
  /** The session was on it before. */
  | 'affinity'
  /** The session was on another, which cannot serve now, or ranks below one that can. */
  | 'rebound'
  /** As `rebound`, while the session's own credential rests: it will go back. */
  | 'lodging'
  /** The request continues a response that this credential made. */
  | 'continuation'
  /** Nobody can serve, and this one recovers first. */
  | 'fail_open'
  /** It was asked for by {@link KeyPool.probe}, or the blacklist had it validated. */
  | 'probe'
  /**
   * The session's own credential serves as many as it may; this request goes elsewhere and the session
   * stays.
   */
  | 'overflow'

/**
 * Why an access key, a group or a credential is chosen or passed over. The codes are stable: programs may
 * compare them. `docs/reason-codes.md` says of each whether it ends by itself, and what to do.
 */
export type ReasonCode =
  /** No access key is known by that value or id. */
  | 'access_key_unknown'
  /** The access key is switched off by hand. */
  | 'access_key_disabled'
  /** The access key's time is over. */
  | 'access_key_expired'
  /** The access key may not speak that protocol. */
  | 'protocol_not_allowed'
  /** The access key may not ask for that model. */
  | 'model_not_allowed'
  /** The access key is not known to have made the response that the request continues. */
  | 'continuation_unknown'
  /** The access key may not use the group. */
  | 'group_not_allowed'
  /** The group is switched off by hand. */
  | 'group_disabled'
  /** The group, or the credential, does not list the model. */
  | 'model_not_exposed'
  /** The group understands other protocols alone. */
  | 'conversion_required'
  /** The group has no rows. */
  | 'no_credentials'
  /** None of the group's credentials can serve; each says why. */
  | 'no_usable_credential'
  /** A usable group has a higher priority. */
  | 'group_lower_tier'
  /** It would serve now. */
  | 'chosen'
  /** It could serve now; another was chosen. */
  | 'available'
  /** A usable credential has a higher priority. */
  | 'lower_priority'
  /** The request has failed at its priority or below: a lower one comes first, and then no higher one. */
  | 'higher_priority'
  /** This request has tried it already. */
  | 'already_tried'
  /** It is out until a moment that is known. */
  | 'cooling'
  /** It is out for the model that is asked for, until a moment that is known. */
  | 'model_cooling'
  /** Its quota or balance is used up, until a moment that is known or guessed. */
  | 'quota_exhausted'
  /** Its rest is over, and one attempt is finding out whether it works again. */
  | 'probe_pending'
  /** Its provider fails for everyone and is asked again in a moment. */
  | 'provider_paused'
  /** The request continues a response that another credential made. */
  | 'bound_elsewhere'
  /** It, or its provider, serves as many attempts at once as it may: until one of them ends. */
  | 'at_capacity'
  /** It is out until a person or a proof brings it back: `by` says who took it out. */
  | 'credential_disabled'
  /** Its secret names an environment variable that is not set. */
  | 'secret_unresolved'
  /** It is a subscription account whose authorisation is not good. */
  | 'auth_unavailable'
  /** It failed too often, one time after the other, as only a dead one does. */
  | 'blacklisted'
  /** Its row breaks a rule; the entry says which field and which rule. */
  | 'invalid_credential'

/** One credential in an {@link Explanation}. */
export interface ExplainedCandidate {
  readonly id: string
  readonly reason: ReasonCode
  /** `credential_disabled`: a person, whose row says `enabled: false`, or a verdict. */
  readonly by: 'hand' | 'verdict' | null
  /** When it may serve again, in milliseconds since the epoch; `null` when no time is known. */
  readonly until: number | null
  /** The verdict that holds it. */
  readonly cause: VerdictClass | null
  /** Whether the provider stated `until`. */
  readonly stated: boolean
  /** What the verdict is about. */
  readonly scope: VerdictScope | null
  /** The model, when it is about one. */
  readonly model: string | null
  /** What the verdict rests on. */
  readonly evidence: Evidence | null
  /** Where `until` was read, such as `header:retry-after`. */
  readonly waitFrom: string | null
  /** `invalid_credential`, `secret_unresolved`: the field that is wrong. */
  readonly field: string | null
  /** What is wrong with it: the rule that it breaks, or the variable that is not set. */
  readonly rule: string | null
}

/** What a request would get now, and why. */
export interface Explanation {
  readonly provider: string
  /** Whether its rows are loaded. */
  readonly loaded: boolean
  /** The id that would serve; `null` when none can, or when a custom strategy would be asked. */
  readonly choice: string | null
  /** How long until one is back, in milliseconds; `null` when time alone does not help. */
  readonly retryAfterMs: number | null
  /** Whether one could serve now, were it not for a cap: the end of an attempt helps. */
  readonly atCapacity: boolean
  /** Every row, by priority, then in order; rows that break a rule come last. */
  readonly candidates: readonly ExplainedCandidate[]
}

/** The rest of one credential for one model. */
export interface ModelRest {
  readonly model: string
  /** When it may be asked for again, in milliseconds since the epoch. */
  readonly until: number
  /** The step of the ladder. */
  readonly level: number
  readonly cause: VerdictClass | null
}

/** What is known of one credential. */
export interface StatusRow {
  readonly id: string
  readonly label: string | null
  readonly weight: number
  readonly priority: number
  /** `available`, or why it is not. What rests for single `models` is available. */
  readonly state: ReasonCode
  /** `credential_disabled`: a person, whose row says `enabled: false`, or a verdict. */
  readonly by: 'hand' | 'verdict' | null
  /** When it may serve again, in milliseconds since the epoch; `null` when no time is known. */
  readonly until: number | null
  /** The step of the ladder that it stands on; 0 when it has no recent failures. */
  readonly level: number
  /** The verdict that holds it. */
  readonly cause: VerdictClass | null
  /** The models that it may not be asked for now. */
  readonly models: readonly ModelRest[]
  /** Leases in flight. */
  readonly inFlight: number
  readonly picks: number
  readonly successes: number
  /** Answers that say something against the credential, its account or its model. */
  readonly failures: number
  /** When it was last picked, in milliseconds since the epoch. */
  readonly lastUsedAt: number | null
}

/** Health, order and sessions, as JSON. Its inside may change between versions. */
export interface Snapshot {
  readonly format: 'keyrota'
  readonly version: number
  /** When it was taken, in milliseconds since the epoch. */
  readonly takenAt: number
}
