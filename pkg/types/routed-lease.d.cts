/**
 * A lease on a credential of a group.
 * @module
 */
import { Lease } from './lease.cjs';
import type { Verdict } from './types.cjs';
/** What a router knows of a choice. */
export interface Routed {
    /** What the group's provider calls the model. */
    readonly upstreamModel: string | undefined;
    /** Before ids of responses, which are apart by access key. */
    readonly scope: string;
    /** Takes in that the attempt was a success. */
    readonly learn: () => void;
}
/**
 * The right to use one credential of a group for one attempt, as {@link Router.run} hands it out.
 *
 * @remarks
 * Its success is what binds a session to its credential.
 */
export declare class RoutedLease extends Lease {
    /** The id of the group. */
    get group(): string;
    /** What the group's provider calls the model: put it into the request. `undefined` when none is asked for. */
    get upstreamModel(): string | undefined;
    report(outcome: unknown): Promise<Verdict>;
    release(): void;
    remember(responseId: string): void;
}
