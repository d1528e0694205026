/**
 * Puts the secret of a lease where the provider expects it, in place of what the SDK put there.
 * @module
 */
/** A request before it is sent: change the headers or the URL. */
export interface Outgoing {
    url: URL;
    readonly headers: Headers;
}
/** The headers that SDKs put keys into. */
declare const KEY_HEADERS: readonly ["x-goog-api-key", "x-api-key", "api-key", "authorization"];
/** Where the SDK put its key. */
export interface Slot {
    readonly header?: (typeof KEY_HEADERS)[number];
    readonly inQuery: boolean;
}
/** Takes out the keys that the SDK put into a request; answers where they stood. */
export declare function takeOut({ url, headers }: Outgoing, dialect: string): Slot;
/** Puts the secret where the SDK put its own key; where it put none, where the dialect expects it. */
export declare function place(outgoing: Outgoing, secret: string, dialect: string, { header, inQuery }?: Slot): void;
export {};
