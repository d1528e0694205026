/**
 * What a gateway says when it does not hand over an answer of a provider.
 * @module
 */
import { type Protocol } from 'keyrota';
/**
 * The code of an error of the gateway's own, in the header `x-keyrota-code` and, where the protocol has room
 * for it, in the body. It is stable, and no reason code of an inspection.
 */
export type GatewayErrorCode = 
/** 401: no access key, a wrong one, or one that is disabled or expired. */
'unauthorized'
/** 400: several access keys that differ. */
 | 'conflicting_access_keys'
/** 403: the access key may not use this protocol or this model. */
 | 'forbidden'
/** 404: no group that the access key may use has that model over this protocol. */
 | 'model_not_found'
/** 404: with `continuations: 'own'`, the access key is not known to have made that response. */
 | 'response_not_found'
/** 404: nothing is at that path. */
 | 'not_found'
/** 405: the path knows other methods; `allow` names them. */
 | 'method_not_allowed'
/** 400: the body is no JSON object in UTF-8. */
 | 'invalid_json'
/** 400: something that the gateway needs is missing or wrong, such as the model. */
 | 'invalid_request'
/** 413: the body is longer than `limits.bodyBytes`. */
 | 'body_too_large'
/** 408: the body did not come within `timeouts.bodyMs`. */
 | 'body_timeout'
/** 415: the body is compressed. */
 | 'unsupported_encoding'
/** 499: the client went away before its request was here. Nobody reads it but the log. */
 | 'client_closed'
/** 429 with the time when it may help to ask again, 503 when time does not help. */
 | 'no_credential_available'
/** 504: the provider did not begin to answer within `timeouts.firstByteMs`. */
 | 'upstream_timeout'
/** 504: no answer began within `timeouts.totalMs`, all attempts and waits together. */
 | 'deadline_exceeded'
/** 502: the connection to the provider failed. */
 | 'upstream_unreachable'
/** 502: the provider sent the request elsewhere. A key does not follow. */
 | 'upstream_redirect'
/**
 * 502: the provider refused the key of the gateway, and no other was left. The client's own is well, so it
 * does not get the provider's 401.
 */
 | 'upstream_unauthorized'
/** The provider's own error, handed over as it came: only the header tells. */
 | 'upstream_error'
/** 503: the gateway was disposed. */
 | 'shutting_down'
/** 500: a fault of the gateway. */
 | 'internal_error';
/** What an error tells beside its code and message. */
interface Facts {
    readonly param?: string;
    readonly retryAfterMs?: number | null;
    readonly headers?: Readonly<Record<string, string>>;
}
/** A request that the gateway does not serve. Its message is for the client. */
export declare class Refused extends Error {
    readonly code: GatewayErrorCode;
    readonly facts: Facts;
    constructor(code: GatewayErrorCode, message: string, facts?: Facts);
}
/** What the reason of a refusal of the router means for the client. */
export declare function denied(reason: string | undefined): Refused;
/** A refusal of the router, or a fault, as what the client is told. Nothing of a credential is in it. */
export declare function refusedBy(error: unknown): Refused;
/** The status that a refusal has for its client. */
export declare function statusOf({ code, facts }: Refused): number;
/** The refusal in the shape that clients of the protocol read. */
export declare function failure(refused: Refused, protocol: Protocol, requestId: string): Response;
export {};
