/**
 * What a pool tells its listeners.
 * @module
 */
import type { ChoiceReason, Evidence, VerdictClass, VerdictScope } from './types.cjs';
/** Which credential an event is about. */
export interface OfCredential {
    readonly provider: string;
    /** The credential's id. */
    readonly credential: string;
}
/** A rest, and what it rests on. */
export interface Rest {
    readonly class: VerdictClass;
    /** What the verdict is about. */
    readonly scope: VerdictScope;
    /** The model, when it is about one. */
    readonly model: string | null;
    /** The step of the ladder. */
    readonly level: number;
    /** When it is over, in milliseconds since the epoch. */
    readonly until: number;
    /** Whether the provider stated that time. */
    readonly stated: boolean;
    /** What the verdict rests on. */
    readonly evidence: Evidence | null;
    /** Where the time was read, such as `header:retry-after`. */
    readonly waitFrom: string | null;
}
/** What each event carries. No event carries a secret or a session id. */
export interface KeyPoolEvents {
    /** A lease was granted. */
    acquired: OfCredential & {
        readonly reason: ChoiceReason;
    };
    /** A failure makes a credential rest until `until`; another cause may hold it for longer. */
    cooldown: OfCredential & Rest;
    /**
     * The provider fails for everyone, and nobody is asked until `until`. The credential is the one whose
     * attempt told; it is not to blame.
     */
    paused: OfCredential & Rest;
    /**
     * A rest is over: by time (noticed at the next call), by a success, by `reset`, or because the failures
     * turned out to be the provider's.
     */
    recovered: OfCredential;
    /** A verdict proved a credential dead. */
    disabled: OfCredential & {
        readonly class: VerdictClass;
    };
    /** The storage callback did not confirm; it is called again every 30 s. */
    disable_failed: OfCredential & {
        readonly message: string;
    };
    /** It failed too often, one time after the other, as only a dead credential does. */
    blacklisted: OfCredential & {
        readonly class: VerdictClass;
    };
    /** A disabled or blacklisted credential was brought back. */
    enabled: OfCredential;
    /** The `refresh` callback had a new secret for it. */
    refreshed: OfCredential;
    /** The `refresh` callback had none; the refusal counts. */
    refresh_failed: OfCredential & {
        readonly message: string;
    };
    /** A session moved to this credential, for good or while its own rests. */
    rebound: OfCredential & {
        readonly from: string;
    };
    /** A lease was never reported and ended by itself. */
    lease_expired: OfCredential;
    /** A row breaks a rule and is passed over. */
    invalid_credential: OfCredential & {
        readonly field: string;
        readonly rule: string;
    };
    /** A secret names something that is not there; `variable` is the environment variable, if one. */
    secret_unresolved: OfCredential & {
        readonly variable: string | null;
        readonly message: string;
    };
}
/** The name of an event. */
export type KeyPoolEvent = keyof KeyPoolEvents;
/** Calls listeners; what one throws reaches neither the pool nor the other listeners. */
export declare class Listeners {
    /** Adds a listener; answers what removes it. */
    add<Name extends KeyPoolEvent>(name: Name, listener: (event: KeyPoolEvents[Name]) => void): () => void;
    /** Whether anyone listens for `name`, or for anything. */
    has(name?: KeyPoolEvent): boolean;
    emit<Name extends KeyPoolEvent>(name: Name, event: KeyPoolEvents[Name]): void;
    clear(): void;
}
