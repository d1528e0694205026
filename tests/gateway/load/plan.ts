/**
 * What happens to each request of the load test. It is drawn from the seed, so that every process knows it
 * without being told: the provider who does it, and the client who checks what came of it.
 * @module
 */

import type { Protocol } from 'keyrota/gateway'

/** Whose turn it is: request after request, protocol after protocol. */
const PROTOCOLS: readonly Protocol[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
]

/** How often a provider does what with an attempt, in a thousand. The rest is as it should be. */
const DEEDS = {
  slow: 60,
  long: 20,
  limited: 40,
  limitedWithDate: 40,
  failed: 25,
  unavailable: 25,
  unauthorized: 10,
  cutAtOnce: 15,
  cutBeforeContent: 15,
  cutWithinContent: 25,
  endsEarly: 20,
  silentAtOnce: 12,
  silentBeforeContent: 12,
  silentWithinContent: 15,
  empty: 15,
  errorBeforeContent: 15,
  errorAfterContent: 15,
} as const

/** What a provider does with an attempt. */
export type Deed = keyof typeof DEEDS | 'well'

/** All of them but the good ones. */
export const FAULTS = Object.keys(DEEDS).slice(2) as readonly Deed[]

/** What a client does, in a thousand. The rest read to the end. */
const MANNERS = { leavesBeforeAnswer: 40, leavesWithin: 40, readsSlowly: 40 } as const

/** What a client does. */
export type Manner = keyof typeof MANNERS | 'patient'

/** Numbers from 0 to 1. */
export type Dice = () => number

/** One try of one request at a provider; requests and tries count from 1. */
export interface Try {
  readonly request: number
  readonly at: number
}

export function protocolOf(request: number): Protocol {
  return PROTOCOLS[request % PROTOCOLS.length] as Protocol
}

/** What the provider does with this try, and the dice for the rest of it. */
export function deedOf(seed: number, { request, at }: Try): { deed: Deed; dice: Dice } {
  const dice = diceOf(seed, request, at)
  return { deed: pick(dice, DEEDS) ?? 'well', dice }
}

export function mannerOf(seed: number, request: number): { manner: Manner; dice: Dice } {
  const dice = diceOf(seed, request, 0)
  return { manner: pick(dice, MANNERS) ?? 'patient', dice }
}

/** A whole number below `limit`. */
export function below(limit: number, dice: Dice): number {
  return Math.floor(dice() * limit)
}

function pick<Name extends string>(
  dice: Dice,
  shares: Readonly<Record<Name, number>>,
): Name | undefined {
  let left = dice() * 1_000
  for (const [name, share] of Object.entries(shares) as [Name, number][]) {
    left -= share
    if (left < 0) return name
  }
  return undefined
}

/** Mulberry32, begun with a hash of these numbers. */
function diceOf(...numbers: readonly number[]): Dice {
  let state = 0x9e3779b9
  for (const number of numbers) state = Math.imul(state ^ number, 0x85ebca6b) ^ (state >>> 13)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
