import { classify, classifyStreamEvent, type Verdict } from 'keyrota'
import { expect, test } from 'vitest'
import { DAY } from './support/clock.ts'
import { eventOf, inputOf, isEvent, ROWS, type Row } from './support/vectors.ts'

test('the rows of outcomes are there', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(257)
  expect(ROWS.filter(isEvent).length).toBeGreaterThanOrEqual(4)
})

test.each(ROWS.map((row) => [row.id, row] as const))('%s means what its row says', (_, row) => {
  const verdict = isEvent(row) ? classifyStreamEvent(eventOf(row)) : classify(inputOf(row))
  expectVerdict(verdict, row)
})

test('an outcome means the same however its headers and its body are handed in', () => {
  for (const row of ROWS.filter((known) => !isEvent(known))) {
    const input = inputOf(row)
    const text = typeof row.body === 'string' ? row.body : JSON.stringify(row.body ?? '')
    const expected = classify(input)
    const shouted = Object.entries(row.headers).map(([name, value]) => [name.toUpperCase(), value])
    for (const headers of [new Headers(row.headers), Object.entries(row.headers), shouted]) {
      expect(classify({ ...input, headers }), row.id).toEqual(expected)
    }
    if (row.body === null) continue
    const bytes = new TextEncoder().encode(text)
    for (const body of [
      text,
      bytes,
      bytes.buffer,
      Buffer.from(bytes),
      new DataView(bytes.buffer),
    ]) {
      expect(classify({ ...input, body }), row.id).toEqual(expected)
    }
  }
})

test('a stream event means the same as JSON, as the text of its data and as its lines', () => {
  for (const row of ROWS.filter((known) => known.bodyFormat === 'sse-event')) {
    const input = eventOf(row)
    const text = JSON.stringify(row.body)
    for (const event of [text, `data: ${text}`, `event: error\ndata: ${text}\n\n`]) {
      expectVerdict(classifyStreamEvent({ ...input, event }), row)
    }
  }
})

/** The rows call a credential a key. Times of a calendar are estimates to the day. */
function expectVerdict(verdict: Verdict, { id, expect: expected }: Row): void {
  const { class: kind, disable, retryOther, waitFrom, waitMs } = expected
  const scope = expected.scope === 'key' ? 'credential' : expected.scope
  expect(verdict, id).toMatchObject({ class: kind, scope, disable, retryOther })
  const isEstimate = /^(calendar|derived):/.test(waitFrom ?? '')
  if (isEstimate && waitMs !== null) {
    expect(Math.abs((verdict.waitMs ?? Number.NaN) - waitMs), id).toBeLessThanOrEqual(DAY)
  } else {
    expect(verdict.waitMs, id).toBe(waitMs)
  }
  expect(verdict.waitFrom === null, id).toBe(verdict.waitMs === null)
}
