/**
 * Rows of a loader, made ready for the core: the secret is taken out, resolved and checked here.
 * @module
 */
/** A row without its secret, with what the core must know of it. */
export interface PreparedRow {
    /** What the core reads. */
    readonly row: unknown;
    /** The usable secret; absent when there is none. */
    readonly secret?: string;
    /** Why there is none, when it could not be resolved. */
    readonly unresolved?: {
        readonly variable: string | null;
        readonly message: string;
    };
}
type Resolve = (secret: string) => unknown;
/** Either a value or the promise of one: what is known now is used now. */
export type Eventually<T> = T | Promise<T>;
/** Goes on with a value now, or when it comes. */
export declare function andThen<T, U>(value: T | PromiseLike<T>, next: (value: T) => Eventually<U>): Eventually<U>;
/** Takes the secrets out of a loader's rows. `known` has the secrets that ids had before. */
export declare function prepareRows(provider: string, rows: unknown, resolve: Resolve, known: ReadonlyMap<string, string>): Eventually<PreparedRow[]>;
/** Whether a value is to be waited for. */
export declare function isPromise(value: unknown): value is PromiseLike<unknown>;
export {};
