/**
 * One provider as JavaScript knows it: what the core may not hold, by the core's numbers.
 * @module
 */
import type { PreparedRow } from './loading.cjs';
import type { StrategyFunction } from './option-types.cjs';
/** What a lease shows of its credential. */
export interface LeasedCredential {
    readonly id: string;
    readonly label: string | null;
}
/** The secrets, names and loads of one provider. It is never handed out. */
export declare class Provider {
    readonly name: string;
    /** Its number in the core. */
    readonly index: number;
    readonly strategy: StrategyFunction | undefined;
    /** Whether its rows stand in the options. */
    readonly inline: boolean;
    /** By the core's number of the credential. */
    readonly credentials: (LeasedCredential | undefined)[];
    readonly secrets: (string | undefined)[];
    /** Why there is no secret, where one names what is not there. */
    readonly unresolved: Map<number, NonNullable<PreparedRow['unresolved']>>;
    /** The ids of the rows of the last load that break a rule. */
    invalid: readonly string[];
    /** Whether the only row is the provider-level key, which the app's storage does not know. */
    isFallback: boolean;
    /** Whether the options have it no more: what is in flight there comes to its end, and nothing else. */
    isGone: boolean;
    /** The load under way; `abandon` lets those who wait for it go on without it. */
    loading: {
        readonly done: Promise<void>;
        readonly abandon: () => void;
    } | undefined;
    /** Calls of the storage callback under way, by credential. */
    readonly disabling: Map<number, Promise<void>>;
    /** New secrets of credentials in the options, which never change themselves. */
    readonly renewed: Map<string, string>;
    /** Calls of the refresh callback under way, by credential. */
    readonly refreshing: Map<number, Promise<void>>;
    /** How long a request waits when it does not say. */
    longestWaitMs: number;
    /** Credentials of the options that the storage keeps disabled. */
    readonly stored: Set<number>;
    constructor(name: string, index: number, strategy: StrategyFunction | undefined, inline: boolean, longestWaitMs: number);
    /** Keeps what belongs to a credential of the core. */
    keep(number: number, credential: LeasedCredential, { secret, unresolved }: PreparedRow): void;
    /** Forgets the names of the last load; numbers and secrets stay for leases in flight. */
    forgetNames(): void;
    /** How many credentials the last load had. */
    get size(): number;
    numberOf(id: string): number | undefined;
    /** The secrets of the last load by id, to tell which ones are replaced by the next. */
    secretsById(): Map<string, string>;
}
