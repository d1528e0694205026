/**
 * A gateway: one address for many clients and many providers, with the keys behind it.
 * @module
 */
import { type GroupStatus, type Inspection, type Protocol, type RouteRequest } from 'keyrota';
import type { GatewayConfig } from './gateway/config.cjs';
import type { GatewayEvent } from './gateway/events.cjs';
export type * from './gateway/config.cjs';
export type { AttemptEvent, CredentialChange, CredentialEvent, GatewayEvent, RequestEvent, } from './gateway/events.cjs';
export type { GatewayErrorCode } from './gateway/failures.cjs';
/** What a gateway is made with, beside its configuration: what cannot stand in a file. */
export interface GatewayOptions {
    /**
     * What sends to the providers. It must obey `signal`, as `fetch` does: a request ends at its time all the
     * same, but what was begun for it goes on. @defaultValue the global `fetch`
     */
    readonly upstreamFetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
    /**
     * Told of every attempt and of every request when it has ended, and of what becomes of credentials: for logs
     * and counters. What it throws is ignored. @defaultValue none
     */
    readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
    /**
     * Where `$NAME` in a secret is looked up, such as the `env` of a Worker.
     *
     * @defaultValue the environment of the process
     */
    readonly env?: object | undefined;
    /** Turns the `secret` of a credential into the key; it goes before `env`. @defaultValue by `env` */
    readonly resolveSecret?: ((secret: string) => string | null | undefined | PromiseLike<string | null | undefined>) | undefined;
    /** Time source: milliseconds since the epoch. @defaultValue `Date.now` */
    readonly now?: (() => number) | undefined;
}
/** What a Worker is given beside a request: it lets work outlive the answer, and the client that left. */
export interface RequestContext {
    readonly waitUntil: (work: Promise<unknown>) => void;
}
/** A gateway. */
export interface Gateway {
    /**
     * Answers a request of a client. It needs no `this`. In a Worker give it all three arguments of the handler:
     * without the context a client that leaves takes along what would have freed its credential, and a blacklisted
     * key is not validated to the end. The second is not read; `env` of the options is.
     */
    readonly fetch: (request: Request, env?: unknown, context?: RequestContext) => Promise<Response>;
    /** Why each group and credential would serve such a request or would not. It changes nothing. */
    readonly inspect: (query: RouteRequest) => Inspection;
    /** The state of each group and its credentials, as data without secrets. */
    readonly health: () => GroupStatus[];
    /**
     * Takes another configuration. Health, conversations, running streams and the retry budget stay. Health
     * follows the id of a credential in its group: one that moves to another group begins there anew.
     *
     * @throws `KeyrotaError` `invalid_config`; then nothing has changed
     */
    readonly reload: (config: GatewayConfig) => void;
    /** Ends every rest of a credential, also those of single models, and brings it back. */
    readonly recover: (credential: string) => void;
    /** Says that the quota of a credential is there again: what rests for the lack of it rests no more. */
    readonly recoverQuota: (credential: string) => void;
    /** Settles when all secrets are resolved. Requests wait for that by themselves. */
    readonly ready: () => Promise<void>;
    /** Frees the memory. Requests are refused from now on. */
    readonly dispose: () => void;
}
/**
 * Makes a gateway of a configuration. It opens no port: give its `fetch` to whatever serves requests.
 *
 * @throws `KeyrotaError` `invalid_config` with all `issues`
 *
 * @example In a Worker, whose secrets are known when the first request comes
 * ```ts
 * let gateway: Gateway | undefined
 * export default {
 *   fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
 *     gateway ??= createGateway(config, { env })
 *     return gateway.fetch(request, env, context)
 *   },
 * }
 * ```
 */
export declare function createGateway(config: GatewayConfig, options?: GatewayOptions): Gateway;
export type { GroupStatus, Inspection, Protocol, RouteRequest };
