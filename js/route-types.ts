/**
 * The words of a router as types: access keys, groups, requests, inspections.
 * @module
 */

import type { KeyPoolOptions, ProviderOptions, StrategyName } from './option-types.js'
import type { Credential, ExplainedCandidate, ReasonCode, RunOptions, StatusRow } from './types.js'

/** The way in which a client speaks, and a group understands. */
export type Protocol = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini'

/** What a client may use. Its value never comes here: whoever asks has compared it. */
export interface AccessKey {
  /** Unique among the access keys. */
  readonly id: string
  /** Whether it is switched on. @defaultValue `true` */
  readonly enabled?: boolean | undefined
  /** From when on it is refused, in milliseconds since the epoch. @defaultValue never */
  readonly expiresAt?: number | null | undefined
  /** The protocols that it may speak. @defaultValue all */
  readonly protocols?: readonly Protocol[] | null | undefined
  /** The ids of the groups that it may use. @defaultValue all */
  readonly groups?: readonly string[] | null | undefined
  /** The models that it may ask for, as clients call them. @defaultValue all */
  readonly models?: readonly string[] | null | undefined
}

/** A model that a group exposes: by its own name, or under another one. */
export type ExposedModel = string | { readonly name: string; readonly upstream: string }

/**
 * Credentials of one provider, with what requests choose a group by. Health follows the ids of the group and of
 * the credential.
 */
export interface Group
  extends Pick<
    ProviderOptions,
    | 'blacklist'
    | 'cooldown'
    | 'dialect'
    | 'exhausted'
    | 'maxConcurrent'
    | 'probe'
    | 'rollback'
    | 'rules'
  > {
  /** Unique among the groups. It is the `provider` of its leases and events. */
  readonly id: string
  /** Whether it is switched on. @defaultValue `true` */
  readonly enabled?: boolean | undefined
  /** The highest priority that has a usable group serves. A whole number. @defaultValue `0` */
  readonly priority?: number | undefined
  /** Its share among groups of equal priority, a whole number from 1 to 100. @defaultValue `50` */
  readonly weight?: number | undefined
  /** The protocols that it understands. */
  readonly protocols: readonly Protocol[]
  /** The models that it exposes. @defaultValue every model, by its own name */
  readonly models?: readonly ExposedModel[] | null | undefined
  /**
   * Its credentials. A `weight` is 50 unless it is given; `models` are as the provider calls them.
   * Their ids are unique among all groups.
   */
  readonly credentials: readonly Credential[]
}

/** How sessions of a router stay on their credentials. */
export interface RouteAffinityOptions {
  /** Whether they do. @defaultValue `true` */
  readonly enabled?: boolean | undefined
  /** How long after its last use a session is forgotten, in milliseconds. @defaultValue `3_600_000` */
  readonly ttlMs?: number | undefined
  /** How many sessions are remembered; the one unused for longest leaves. @defaultValue `10_000` */
  readonly capacity?: number | undefined
}

/** Options of a {@link Router}. */
export interface RouterOptions
  extends Pick<
    KeyPoolOptions,
    | 'blacklist'
    | 'cooldown'
    | 'exhausted'
    | 'leaseTtlMs'
    | 'now'
    | 'probe'
    | 'refresh'
    | 'resolveSecret'
    | 'rollback'
    | 'rules'
    | 'seed'
    | 'validate'
  > {
  /** Who may ask. */
  readonly accessKeys: readonly AccessKey[]
  /** Who may serve. */
  readonly groups: readonly Group[]
  /** How a group is chosen in its tier, and a credential in its group. @defaultValue `'smooth'` */
  readonly strategy?: StrategyName | undefined
  /** How sessions stay on their credentials. */
  readonly affinity?: RouteAffinityOptions | undefined
  /**
   * Which responses an access key may continue. `any`: every one whose id it knows; the provider says whether
   * there is such a one, and does not tell the clients behind one key apart. `own`: those that this router
   * remembers the access key to have made; any other is refused with `continuation_unknown` before anything is
   * sent. The 10,000 used last are remembered, in this process alone: with `own` one that was made in another
   * process, or before a restart, is refused too.
   *
   * @defaultValue `'any'`
   */
  readonly continuations?: 'any' | 'own' | undefined
}

/** What a client asks. */
export interface RouteRequest {
  /** The id of its access key. */
  readonly accessKey: string
  /** How it speaks. */
  readonly protocol: Protocol
  /** The model, as the client calls it. @defaultValue none: any group that speaks the protocol */
  readonly model?: string | undefined
  /**
   * Requests of one session go to the credential that served it with success, while the tier that serves
   * has it. Sessions are apart by access key and protocol.
   */
  readonly session?: string | undefined
  /** The id of a response that the request continues: only the credential that made it can serve. */
  readonly continues?: string | undefined
}

/** What {@link Router.run} takes. */
export interface RouteRunOptions
  extends RouteRequest,
    Omit<RunOptions, 'continues' | 'model' | 'provider' | 'session' | 'tried'> {}

/** Why a request would get what it would get. */
export interface Inspection {
  /** `available`, or why the access key may not ask for that. */
  readonly accessKey: { readonly id: string; readonly reason: ReasonCode }
  /** Every group, in the order of the options. */
  readonly groups: readonly GroupInspection[]
  /** Who would serve. */
  readonly choice: { readonly group: string; readonly credential: string } | null
  /** How long until someone could, in milliseconds, when nobody can and time is all that is needed. */
  readonly retryAfterMs: number | null
  /** Whether someone could serve now, were it not for a cap on what is in flight. */
  readonly atCapacity: boolean
}

/** One group in an inspection. */
export interface GroupInspection {
  readonly id: string
  /** Why it serves or is passed over. */
  readonly reason: ReasonCode
  readonly priority: number
  readonly weight: number
  /** What its provider calls the model. */
  readonly model: string | null
  /** When the first of its credentials may serve again, in milliseconds since the epoch. */
  readonly until: number | null
  /** Each of its credentials, and why it is chosen or passed over. */
  readonly credentials: readonly ExplainedCandidate[]
}

/** What is known of a group and its credentials. */
export interface GroupStatus {
  readonly id: string
  readonly enabled: boolean
  readonly priority: number
  readonly weight: number
  readonly credentials: readonly StatusRow[]
}
