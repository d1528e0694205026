/**
 * What a provider says to a try, to the byte. Every event of a stream, and every error, has the mark of its try.
 * @module
 */

import type { Protocol } from 'keyrota/gateway'
import { anthropic } from '../../support/providers/anthropic.ts'
import type { Dialect, Trouble } from '../../support/providers/dialect.ts'
import { gemini } from '../../support/providers/gemini.ts'
import type { Exchange } from '../../support/providers/http.ts'
import { openai } from '../../support/providers/openai.ts'
import { below, type Deed, type Dice, deedOf, protocolOf, type Try } from './plan.ts'

const DIALECTS: Readonly<Record<Protocol, Dialect>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  'anthropic-messages': anthropic,
  gemini,
}

export const PATHS: Readonly<Record<Protocol, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent',
}

/** How the secrets of the credentials begin; answers do say it, and it is no secret for that. */
export const SECRET_START = 'sk-load-'

/** How an answer ends: as HTTP wants it, by a closed connection, or not at all. */
export type Ending = 'ended' | 'cut' | 'silent'

/** An answer to one try. */
export interface Speech {
  readonly deed: Deed
  /** `undefined` when not even a head is sent. */
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** All that is ever sent of the body. */
  readonly bytes: Buffer
  /** Where chunks end, and how long the provider waits behind each, in milliseconds. */
  readonly chunks: readonly { readonly end: number; readonly pauseMs: number }[]
  readonly ending: Ending
  /** Whether the answer says all that there is to say, so that its end is a good one. */
  readonly isWhole: boolean
}

export function markOf({ request, at }: Try): string {
  return `~${request}.${at}~`
}

/** The tries whose marks are in a text. */
export function marksIn(text: string): Try[] {
  return [...text.matchAll(/~(\d+)\.(\d+)~/g)].map(([, request, at]) => {
    return { request: Number(request), at: Number(at) }
  })
}

/** What the client asks for; a provider reads the number out of it. */
export function bodyOf(request: number): string {
  const protocol = protocolOf(request)
  const content = `Request ~${request}.0~, please.`
  if (protocol === 'gemini') {
    return JSON.stringify({ contents: [{ role: 'user', parts: [{ text: content }] }] })
  }
  if (protocol === 'openai-responses') {
    return JSON.stringify({ model: 'm', input: content, stream: true })
  }
  const messages = [{ role: 'user', content }]
  return JSON.stringify({ model: 'm', messages, max_tokens: 100, stream: true })
}

/** What is said to this try. */
export function speechTo(seed: number, one: Try): Speech {
  const { deed, dice } = deedOf(seed, one)
  const protocol = protocolOf(one.request)
  const dialect = DIALECTS[protocol]
  const mark = markOf(one)
  const refuse = (status: number, body: object, headers = {}): Speech => {
    const bytes = Buffer.from(JSON.stringify({ ...body, mark }))
    const chunks = [{ end: bytes.byteLength, pauseMs: 0 }]
    return {
      ...{ deed, status, bytes, chunks, ending: 'ended', isWhole: true },
      headers: { 'content-type': 'application/json', ...headers },
    }
  }
  const words = (trouble: Trouble) => dialect.error(trouble) as { status: number; body: object }
  const error = { type: 'server_error', message: 'The server had an error' }
  switch (deed) {
    case 'limited':
      return refuse(429, words('limited').body)
    case 'limitedWithDate':
      return refuse(429, words('limited').body, { 'retry-after': '1' })
    case 'failed':
      return refuse(500, { error })
    case 'unavailable':
      return refuse(503, { error })
    case 'unauthorized':
      return refuse(words('unauthorized').status, words('unauthorized').body)
    default:
      return stream(deed, eventsOf(protocol, mark, deed, dice), dice)
  }
}

interface Events {
  readonly opening: readonly string[]
  readonly content: readonly string[]
  readonly closing: readonly string[]
  readonly error: string
}

/** What the dialect streams, each event with the mark in a comment before it. */
function eventsOf(protocol: Protocol, mark: string, deed: Deed, dice: Dice): Events {
  const dialect = DIALECTS[protocol]
  const filler = deed === 'long' ? 'x'.repeat(4_096) : ''
  const count = deed === 'empty' ? 0 : deed === 'long' ? 60 : 5 + below(25, dice)
  const pieces = Array.from({ length: count }, (_, at) => {
    return ` ${mark} Grüße 🌍 ${SECRET_START}${at} ${filler}`
  })
  const exchange = { path: PATHS[protocol], json: { model: 'm' } } as unknown as Exchange
  const { opening, content, closing } = dialect.stream(exchange, pieces)
  // The dialect numbers its responses as they come, and here they come in no order.
  const id = `resp_${mark.replace(/\D/g, '_')}`
  const marked = (event: string) => `: ${mark}\n${event.replace(/resp_\d{8}/g, id)}`
  return {
    opening: opening.map(marked),
    content: content.map(marked),
    closing: closing.map(marked),
    error: marked(dialect.errorEvent(exchange, 'overloaded')),
  }
}

function stream(deed: Deed, { opening, content, closing, error }: Events, dice: Dice): Speech {
  const some = content.slice(0, 2 + below(content.length - 2, dice))
  const of = (events: readonly string[], ending: Ending, isWhole = false, status = 200): Speech => {
    const bytes = Buffer.from(events.join(''))
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    const chunks = chunksOf(events, deed, dice)
    return { deed, status, headers, bytes, chunks, ending, isWhole }
  }
  switch (deed) {
    case 'cutAtOnce':
      return { ...of([], 'cut'), status: undefined }
    case 'silentAtOnce':
      return { ...of([], 'silent'), status: undefined }
    case 'cutBeforeContent':
      return of(opening, 'cut')
    case 'silentBeforeContent':
      return of(opening, 'silent')
    case 'cutWithinContent':
      return of([...opening, ...some], 'cut')
    case 'silentWithinContent':
      return of([...opening, ...some], 'silent')
    case 'endsEarly':
      return of([...opening, ...some], 'ended')
    case 'errorBeforeContent':
      return of([...opening, error], 'ended', true)
    case 'errorAfterContent':
      return of([...opening, ...some, error], 'ended', true)
    default:
      return of([...opening, ...content, ...closing], 'ended', true)
  }
}

/** Chunks of one event, of several, or cut anywhere, even within a letter. */
function chunksOf(events: readonly string[], deed: Deed, dice: Dice): Speech['chunks'] {
  const way =
    deed === 'long' ? 'events' : (['events', 'lumps', 'anywhere'] as const)[below(3, dice)]
  const ends: number[] = []
  let size = 0
  for (const event of events) {
    size += Buffer.byteLength(event)
    if (way !== 'lumps' || dice() < 0.4) ends.push(size)
  }
  if (way === 'anywhere')
    for (let at = 0; at < 10 && size > 0; at++) ends.push(below(size, dice) + 1)
  if (size > 0) ends.push(size)
  const pauseMs = () => {
    if (deed === 'slow') return below(400, dice)
    return deed === 'long' || dice() < 0.5 ? 0 : below(250, dice)
  }
  return [...new Set(ends)]
    .sort((one, other) => one - other)
    .map((end) => ({ end, pauseMs: pauseMs() }))
}
