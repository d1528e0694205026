/**
 * The core as the rest of the package uses it. Only this folder imports the generated glue.
 * @module
 */

import {
  classify,
  Core as Glue,
  Plan as GluePlan,
  hashHigh,
  hashLow,
  knowsDialect as isKnown,
} from '../../pkg/core_bg.js'
import { type ErrorCode, KeyrotaError } from '../errors.js'
import { start } from './instance.js'

export { hashHigh, hashLow }

/** What the core calls. None of it may throw: see `src/wasm/host.rs`. */
export interface Host {
  now(): number
  emit(event: CoreEvent): void
  disable(provider: number, credential: number, why: string): void
  refresh(provider: number, credential: number): void
  validate(provider: number, credential: number): void
}

/** An event of the core: its name as `type`, and what it carries. */
export interface CoreEvent {
  readonly type: string
  readonly provider: string
  readonly credential: string
}

/** What {@link Core.load} answers. */
export interface Loaded {
  /** For each row the number of its credential, or -1. */
  readonly credentials: readonly number[]
  readonly invalid: readonly {
    readonly row: number
    readonly id: string
    readonly field: string
    readonly rule: string
  }[]
}

/** What the core throws: plain data. */
interface CoreError {
  readonly code?: ErrorCode
  readonly message: string
  readonly path?: string
  readonly rule?: string
}

/** The core of one pool. */
export type Core = Glue

/** The plan of one request. Whoever makes it frees it. */
export type Plan = GluePlan

/** Answers of the hot path that are no lease. They stand in `src/wasm/pool.rs` too. */
export const NONE_AVAILABLE = -1
export const NOT_LOADED = -2
export const BAD_CLOCK = -3
export const NO_RANDOMNESS = -4
/** They stand in `src/wasm/route.rs`. */
export const DENIED = -5
export const NO_GROUP = -6

/** Makes a core; the first one starts the WebAssembly. */
export function createCore(host: Host, options: unknown): Core {
  start()
  return checked(() => new Glue(host as never, options))
}

/**
 * Makes the plan of a request, which may have so many attempts; `undefined` leaves that to the core.
 * A core must have been made before.
 */
export function createPlan(attempts: number | undefined, idempotent: boolean): Plan {
  return new GluePlan(attempts ?? -1, idempotent)
}

/** Whether a name leads to rules of its own. The first use starts the WebAssembly. */
export function knowsDialect(name: string): boolean {
  start()
  return isKnown(name)
}

/** Judges an outcome; an `isEvent` is one event of a stream. The first use starts the WebAssembly. */
export function classifyFacts(
  dialect: string,
  options: unknown,
  facts: unknown,
  now: number,
  isEvent: boolean,
): unknown {
  start()
  return checked(() => classify(dialect, options, facts, now, isEvent))
}

/** Calls the core, and makes what it throws a {@link KeyrotaError}. */
export function checked<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    const { code, message, path, rule } = error as CoreError
    if (error instanceof Error || code === undefined) throw error
    const facts = path === undefined || rule === undefined ? {} : { path, rule }
    throw new KeyrotaError(code, message, facts)
  }
}
