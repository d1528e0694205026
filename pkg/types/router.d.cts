/**
 * The router: chooses a group and a credential in it for each attempt of a client's request.
 * @module
 */
import type { KeyPoolEvent, KeyPoolEvents } from './events.cjs';
import type { Lease } from './lease.cjs';
import type { GroupStatus, Inspection, RouteRequest, RouteRunOptions, RouterOptions } from './route-types.cjs';
import { RoutedLease } from './routed-lease.cjs';
import { type Attempt } from './run.cjs';
import type { Verdict } from './types.cjs';
/**
 * Chooses for each attempt of a client's request a group and a credential in it: by what the client's access
 * key grants, by protocol, model, tier and weight, with sessions that stay where they were served.
 *
 * @remarks
 * It is what `keyrota/gateway` is made of, for those who send requests themselves. A choice costs what
 * changed since the last one, and looks neither at all groups nor at all credentials.
 *
 * @example Two tiers, and a client that may use one model
 * ```ts
 * const router = new Router({
 *   accessKeys: [{ id: 'app', models: ['gpt-5'] }],
 *   groups: [
 *     { id: 'openai', protocols: ['openai-chat'], credentials: [{ id: 'a', secret: '$OPENAI_KEY' }] },
 *     { id: 'spare', protocols: ['openai-chat'], priority: -1, credentials: [{ id: 'b', secret: '$SPARE_KEY' }] },
 *   ],
 * })
 * const request = { accessKey: 'app', protocol: 'openai-chat', model: 'gpt-5' } as const
 * const answer = await router.run(request, (lease) => send(lease.group, lease.secret))
 * ```
 */
export declare class Router {
    /**
     * Makes a router.
     *
     * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path
     */
    constructor(options: RouterOptions);
    /** Settles once the secrets of all groups are resolved; {@link Router.run} waits for that by itself. */
    ready(): Promise<void>;
    /**
     * Takes other settings from now on. Health, leases and sessions are kept, by the id of a credential in its
     * group: one that moves to another group begins there anew. `now`, `seed` and `leaseTtlMs` stay as they were.
     *
     * @throws {@link KeyrotaError} `invalid_option` or `unknown_option`; nothing has changed then
     */
    reload(options: RouterOptions): void;
    /**
     * Makes one request with fail-over over groups and credentials: chooses, calls `attempt`, reports, and
     * tries another while that can help and is safe. After a failure the next lower tier comes before the
     * rest of the same one, and none above again.
     *
     * @returns what the last attempt answered
     * @throws what the last attempt threw; when there was none, {@link KeyrotaError} `access_denied` or
     * `model_not_found` with the `reason`, or `no_credential_available` with the time and the `inspection`
     */
    run<T>(options: RouteRunOptions, attempt: Attempt<T, RoutedLease>): Promise<T>;
    /**
     * Says where a request would go now, and why each group and each credential is chosen or passed over. It
     * changes nothing, and agrees with what the next request does.
     */
    inspect(request: RouteRequest): Inspection;
    /** What is known of each group and its credentials, those included whose rows break a rule. */
    status(): GroupStatus[];
    /** Whose rules read the answers of a group. */
    dialectOf(group: string): string;
    /**
     * Finds out whether a credential works, as {@link KeyPool.probe} does.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no group has that id;
     * `no_credential_available` when it has no secret
     */
    probe(id: string, send: (lease: Lease) => unknown): Promise<Verdict>;
    /**
     * Brings a credential back by hand, whatever took it out: its rests and those of its models and its quota
     * group, a blacklisting, a verdict. What is `enabled: false` stays off.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no group has that id
     */
    recover(id: string): void;
    /**
     * Takes in that a quota or a balance is there again: ends what it caused, and nothing else.
     *
     * @throws {@link KeyrotaError} `unknown_credential` when no group has that id
     */
    recoverQuota(id: string): void;
    /**
     * Calls `listener` whenever the event happens; `provider` names the group.
     *
     * @returns what removes the listener
     */
    on<Name extends KeyPoolEvent>(event: Name, listener: (event: KeyPoolEvents[Name]) => void): () => void;
    /** Frees the router's memory. Every later call throws `disposed`. */
    dispose(): void;
    /** {@link Router.dispose}, for `using`. */
    [Symbol.dispose](): void;
}
