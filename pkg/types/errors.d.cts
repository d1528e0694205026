/**
 * Errors: one class, told apart by a stable code.
 * @module
 */
import type { Inspection } from './route-types.cjs';
import type { Explanation, ReasonCode } from './types.cjs';
/** Every code of a {@link KeyrotaError}, and what to do about it. */
export type ErrorCode = 
/** No credential can serve now: wait for `retryAfterMs`, or show the `explanation`. */
'no_credential_available'
/** The access key may not ask for that: `reason` says why. */
 | 'access_denied'
/** No group that the access key may use serves the model over that protocol: `reason` says why. */
 | 'model_not_found'
/** `tryAcquire` met a provider whose rows are not loaded: use `acquire`, or `load` first. */
 | 'not_loaded'
/** The loader rejected or threw; see `cause`. Nothing was cached, so the next call asks again. */
 | 'load_failed'
/** The loader answered something that is no list of rows. */
 | 'invalid_rows'
/** An option or argument breaks a rule; `path` and `rule` say which. */
 | 'invalid_option'
/** An option that does not exist; `nearest` is the one that was probably meant. */
 | 'unknown_option'
/** No credential of the pool has that id. Ids are known once their provider is loaded. */
 | 'unknown_credential'
/** A custom strategy threw, or answered an id that is none of the candidates. */
 | 'strategy_failed'
/** `now` threw, or answered no finite number. */
 | 'invalid_clock'
/** The platform gave no random numbers here: pass `seed`, or ask inside a request handler. */
 | 'randomness_unavailable'
/** The snapshot is damaged or of something else: start without it. */
 | 'snapshot_malformed'
/** A newer version of this package wrote the snapshot: use that version, or start without it. */
 | 'snapshot_newer_version'
/** The pool was disposed. */
 | 'disposed'
/** WebAssembly may not be compiled here: see the message. */
 | 'wasm_blocked'
/** The engine lacks something that this package needs. */
 | 'unsupported_engine'
/** `keyrota/slim` was used before `initSync`. */
 | 'not_initialized'
/** The configuration of a gateway breaks rules; `issues` lists every one of them. */
 | 'invalid_config'
/** A package that this entry needs is not installed: the message says how to install it. */
 | 'missing_peer';
/** One thing that is wrong with a configuration. */
export interface ConfigIssue {
    /** Where it stands, such as `groups[0].baseUrl`. */
    readonly path: string;
    /** The rule that is broken. */
    readonly rule: string;
    /** The existing name that is nearest, when it is a name that does not exist. */
    readonly nearest?: string;
}
/** What an error knows besides its code and message. */
export interface ErrorFacts {
    /** How long until a credential is back, in milliseconds; `null` when time does not help. */
    readonly retryAfterMs?: number | null;
    /** Why each credential was passed over. */
    readonly explanation?: Explanation;
    /** Why a router sends the request nowhere. */
    readonly reason?: ReasonCode;
    /** Why each group and each credential of a router is passed over, at the moment when it is first read. */
    readonly inspection?: Inspection;
    /** Whether someone could serve, were it not for a cap on what is in flight: room may come at any moment. */
    readonly atCapacity?: boolean;
    /** Where a wrong option stands, such as `cooldown.baseMs`. */
    readonly path?: string;
    /** The rule that it breaks. */
    readonly rule?: string;
    /** The existing option whose name is nearest. */
    readonly nearest?: string;
    /** All that is wrong with a configuration. */
    readonly issues?: readonly ConfigIssue[];
    /** The provider that it is about. */
    readonly provider?: string;
    /** The credential that it is about. */
    readonly credential?: string;
}
/** A {@link KeyrotaError} as `toJSON` makes it: plain data, which survives `structuredClone` and JSON. */
export interface ErrorData extends ErrorFacts {
    readonly name: 'KeyrotaError';
    readonly code: ErrorCode;
    readonly message: string;
}
/**
 * What this package throws.
 *
 * @remarks
 * Compare `code`, not the class: send `error.toJSON()` through workers and IPC, since a thrown error loses
 * its `code` there.
 * {@link isKeyrotaError} knows both forms.
 *
 * @example Tell the user when to come back
 * ```ts
 * try {
 *   const lease = await pool.acquire({ provider: 'openai' })
 * } catch (error) {
 *   if (isKeyrotaError(error, 'no_credential_available')) showBusy(error.retryAfterMs)
 *   else throw error
 * }
 * ```
 */
export declare class KeyrotaError extends Error implements ErrorFacts {
    readonly name = "KeyrotaError";
    readonly code: ErrorCode;
    readonly retryAfterMs?: number | null;
    readonly explanation?: Explanation;
    readonly reason?: ReasonCode;
    readonly inspection?: Inspection;
    readonly atCapacity?: boolean;
    readonly path?: string;
    readonly rule?: string;
    readonly nearest?: string;
    readonly issues?: readonly ConfigIssue[];
    readonly provider?: string;
    readonly credential?: string;
    constructor(code: ErrorCode, message: string, facts?: ErrorFacts, cause?: unknown);
    /** The error as plain data, to be sent to another process or written to a log. */
    toJSON(): ErrorData;
}
/**
 * Whether a caught value is an error of this package, as a class or as plain data.
 *
 * @param value - what was caught
 * @param code - only errors of this code
 */
export declare function isKeyrotaError(value: unknown, code?: ErrorCode): value is ErrorData;
/** A wrong option, with its path, its value's type and the rule. The value is not shown. */
export declare function invalidOption(path: string, value: unknown, rule: string): KeyrotaError;
/** A loader that rejected or threw. */
export declare function loadFailed(provider: string, cause: unknown): KeyrotaError;
/** What a caught value says of itself. */
export declare function messageOf(error: unknown): string;
