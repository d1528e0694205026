/**
 * What a request says of itself: its model, its session, what it continues, whether it streams.
 * @module
 */
/** A request as far as it matters to the choice of a credential. */
export interface RequestFacts {
    /** The URL, before a secret is put into it. */
    readonly url: URL;
    readonly method: string;
    readonly headers: Headers;
    /** The body, when it is a JSON object. */
    readonly json: Readonly<Record<string, unknown>> | undefined;
}
/** The model: from the body, or from the path where providers have it. */
export declare function modelOf({ json, url }: RequestFacts): string | undefined;
/** Whether the answer may be a stream: from the body, or from the path where providers have it. */
export declare function mayStream({ json, url }: RequestFacts): boolean;
/** The response or conversation that the request is about, which only the credential that made it knows. */
export declare function continuedBy({ json, url }: RequestFacts): string | undefined;
/** The session: what the request names as one, else what all requests of a conversation begin with. */
export declare function sessionOf({ json, headers }: RequestFacts): string | undefined;
