/**
 * A lease: the right to use one credential for one attempt.
 * @module
 */
import type { LeasedCredential } from './provider.cjs';
import type { ChoiceReason, Verdict } from './types.cjs';
/**
 * The right to use one credential for one attempt.
 *
 * @remarks
 * It counts as in flight until {@link Lease.report} or {@link Lease.release}, or until `leaseTtlMs`
 * is over. `await using` covers the paths that forget. Printing or serializing a lease shows no secret.
 *
 * @example Report how the attempt ended, whatever happens in between
 * ```ts
 * await using lease = await pool.acquire({ provider: 'openai', session: chat.id })
 * const response = await fetch(url, { headers: { authorization: `Bearer ${lease.secret}` } })
 * await lease.report(response)
 * ```
 */
export declare class Lease {
    /** Tells a lease from a refusal. */
    get ok(): true;
    /** The provider's name. */
    get provider(): string;
    /** Who serves: id and label. */
    get credential(): LeasedCredential;
    /** Why this one. */
    get reason(): ChoiceReason;
    /** The key itself. Put it into a header, and nowhere else. */
    get secret(): string;
    /** Whether it was reported or released. */
    get settled(): boolean;
    /**
     * Ends the lease with what came back; the credential rests, recovers or is disabled accordingly.
     *
     * @remarks
     * Only the first report counts; a later one answers the same verdict. A report about a credential
     * that was replaced or brought back since changes nothing. Of a `Response` a clone is read, at most
     * 64 KB and only if it is an error or plain JSON: report it before its body is used. A streamed
     * response settles on its status and headers.
     *
     * @param outcome - a `Response`, what `fetch` or an SDK threw, or `{ status, headers, body }`
     * @returns what it means
     * @throws {@link KeyrotaError} `invalid_option` when it is none of these; the lease goes on
     */
    report(outcome: unknown): Promise<Verdict>;
    /**
     * Remembers that this credential made a response, so that a request which `continues` it goes to the
     * same credential and to no other.
     *
     * @param responseId - the provider's id of the response, conversation or file
     */
    remember(responseId: string): void;
    /** Ends the lease without a verdict: nothing is known, and nobody is to blame. */
    release(): void;
    /** {@link Lease.release}, for `using`. */
    [Symbol.dispose](): void;
    /** {@link Lease.release}, for `await using`. */
    [Symbol.asyncDispose](): Promise<void>;
    /** Id, provider and reason; never the secret. */
    toJSON(): {
        provider: string;
        credential: LeasedCredential;
        reason: ChoiceReason;
    };
}
