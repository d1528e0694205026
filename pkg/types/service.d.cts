/**
 * The documented ApiKeyPoolService, name for name, for apps that have it today.
 * @module
 */
import type { CooldownOptions } from './option-types.cjs';
/** A row of the app's storage. */
export interface ApiKeyEntry {
    /** Unique, such as a UUID. */
    readonly id: string;
    readonly providerId: string;
    readonly label?: string | null;
    /** The key, or `$NAME` for an environment variable. */
    readonly apiKey: string;
    readonly enabled: boolean;
    /** Its share of the traffic, a whole number from 1 to 100. */
    readonly weight: number;
}
/** Answers the rows of a provider, in their order. */
export type ApiKeysLoader = (providerId: string) => Promise<ApiKeyEntry[]> | ApiKeyEntry[];
/** Keeps a key disabled in the storage; answers whether it did. */
export type ApiKeyDisabler = (keyId: string) => Promise<boolean> | boolean;
/** Turns the `apiKey` of a row into the key. */
export type ApiKeyResolver = (rawKey: string) => string | null | undefined | Promise<string | null | undefined>;
/** Options of {@link ApiKeyPoolService}. */
export interface ApiKeyPoolServiceOptions {
    readonly loadKeys: ApiKeysLoader;
    readonly disableKey: ApiKeyDisabler;
    /** @defaultValue `$NAME` and `${NAME}` from the environment */
    readonly resolveKey?: ApiKeyResolver;
    /** Time source. @defaultValue `Date.now` */
    readonly now?: () => number;
    /** Told in words what happens to keys: ids and times, never a key. @defaultValue none */
    readonly log?: (message: string) => void;
    /** @defaultValue 60 s, doubling, at most 900 s */
    readonly cooldown?: CooldownOptions;
}
/**
 * The documented key pool service over the same core as `KeyPool`, under the classic policy.
 *
 * @remarks
 * 401 and 403 disable a key, 429 and 529 cool it for 60, 120, 240, 480, then 900 s; nothing else
 * counts. An app moves over by changing the import.
 *
 * @example In place of an own service
 * ```ts
 * const service = new ApiKeyPoolService({ loadKeys, disableKey, resolveKey })
 * const key = await service.getKeyForSession('openai', chat.id)
 * ```
 */
export declare class ApiKeyPoolService {
    /** @throws `KeyrotaError` of code `invalid_option`, which names the option that is none */
    constructor(options: ApiKeyPoolServiceOptions);
    /** A key of the provider, without a session; `''` when none is available. */
    getKey(providerId: string): Promise<string>;
    /** The session's key, or a new one when that cannot serve; `''` when none is available. */
    getKeyForSession(providerId: string, sessionId: string): Promise<string>;
    /**
     * Applies a failure to the key that the session is on, and answers another key to try; `null` when
     * there is none, when the session is on no key, or when the status says nothing about keys.
     */
    reportError(providerId: string, sessionId: string, status: number): Promise<string | null>;
    /** Ends the cooldown level of the key that the session got last. */
    reportSuccess(sessionId: string): void;
    /** Forgets the session. */
    releaseSession(sessionId: string): void;
    /** Drops the cached rows of one provider, or of all: the next call loads anew. */
    invalidateCache(providerId?: string): void;
    /** Drops what is forgotten, and repeats writes that were not confirmed. */
    cleanupExpiredCooldowns(): void;
    /** Stops the interval and frees the memory. */
    dispose(): void;
}
