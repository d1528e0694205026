import { describe, expect, test } from 'vitest'
import { deedOf, protocolOf, type Try } from './load/plan.ts'
import { type Flaw, Flawed, Reading } from './load/reading.ts'
import { type Speech, speechTo } from './load/speech.ts'

const SEED = 7

/** The first request of which the plan has that, told by its first try. */
function first(deed: string, protocol = 'openai-chat', after = 0): Try & { speech: Speech } {
  for (let request = after + 1; ; request++) {
    const one = { request, at: 1 }
    if (deedOf(SEED, one).deed !== deed || protocolOf(request) !== protocol) continue
    return { ...one, speech: speechTo(SEED, one) }
  }
}

function flawIn(run: () => void): Flaw | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof Flawed) return error.flaw
    throw error
  }
}

const well = first('well')
const { bytes } = well.speech
const reading = () => new Reading(SEED, well.request)
const half = bytes.byteLength >> 1

describe('the client of the load test', () => {
  test.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'])(
    'finds nothing in what %s sends, wherever it is cut',
    (protocol) => {
      const { request, speech } = first('well', protocol)
      for (const size of [1, 7, 1_000, speech.bytes.byteLength]) {
        const client = new Reading(SEED, request)
        for (let at = 0; at < speech.bytes.byteLength; at += size) {
          client.see(speech.bytes.subarray(at, at + size))
        }
        client.end()
      }
    },
  )

  test.each<[Flaw, string, () => void]>([
    ['mixed', 'the stream of another', () => reading().see(first('slow').speech.bytes)],
    [
      'mixed',
      'a chunk of another',
      () => {
        const client = reading()
        client.see(bytes.subarray(0, half))
        client.see(first('well', 'openai-chat', well.request).speech.bytes.subarray(100))
      },
    ],
    [
      'mixed',
      'the beginnings of two tries',
      () => {
        const client = reading()
        client.see(bytes.subarray(0, half))
        client.see(speechTo(SEED, { request: well.request, at: 2 }).bytes)
      },
    ],
    [
      'altered',
      'a byte that is missing',
      () => {
        const client = reading()
        client.see(bytes.subarray(0, half))
        client.see(bytes.subarray(half + 1))
      },
    ],
    ['altered', 'a byte too much', () => reading().see(Buffer.concat([bytes, Buffer.from('\n')]))],
    [
      'short',
      'an end before the end',
      () => {
        const client = reading()
        client.see(bytes.subarray(0, half))
        client.end()
      },
    ],
    ['short', 'an answer of nothing', () => reading().end()],
    [
      'short',
      'a good end of what the provider cut',
      () => {
        const { request, speech } = first('cutWithinContent')
        const client = new Reading(SEED, request)
        client.see(speech.bytes)
        client.end()
      },
    ],
    ['mixed', 'the error of another', () => reading().error('{"error":{},"mark":"~1.1~"}', 'c')],
    ['unreadable', 'an error that is a page', () => reading().error('<html>', 'c')],
    ['unreadable', 'an error without a code', () => reading().error('{"error":{}}', undefined)],
  ])('finds as %s: %s', (flaw, _, run) => {
    expect(flawIn(run)).toBe(flaw)
  })
})
