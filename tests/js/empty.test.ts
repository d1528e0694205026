// Answers without content: which are, and that `run` goes on after one only if it is asked to.

import { EmptyAnswer, type RunOptions } from 'keyrota'
import { expect, test } from 'vitest'
import { rejected } from './support/errors.ts'
import { PROVIDER, poolOf, row, rows, statusOf } from './support/pools.ts'

const chat = (message: unknown, finish_reason: unknown = 'stop') => ({
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason }],
})
const claude = (content: unknown, stop_reason: unknown = 'end_turn') => {
  return { type: 'message', role: 'assistant', content, stop_reason }
}
const gemini = (content: unknown, finishReason: unknown = 'STOP') => ({
  candidates: [{ content, finishReason }],
  usageMetadata: {},
})
const response = (output: unknown, status = 'completed') => {
  return { object: 'response', error: null, status, output }
}
const part = (text: string) => ({ type: 'output_text', text, annotations: [] })
const message = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content })

const EMPTY: Record<string, unknown> = {
  'a chat without choices': { object: 'chat.completion', choices: [] },
  'a chat that says nothing': chat({ role: 'assistant', content: '', refusal: null }),
  'a chat of null': chat({ role: 'assistant', content: null, tool_calls: [] }, null),
  'a chat of empty parts': chat({ role: 'assistant', content: [{ type: 'text', text: '' }] }),
  'a completion': { choices: [{ text: '', finish_reason: 'stop' }] },
  'a message without content': claude([]),
  'a message of an empty text': claude([{ type: 'text', text: '' }]),
  'no candidates': { candidates: [], usageMetadata: {} },
  'numbers alone': { usageMetadata: {}, modelVersion: 'gemini-2.5-flash' },
  'a candidate without parts': gemini({ role: 'model' }),
  'a candidate with empty parts': gemini({ parts: [{ text: '' }] }),
  'a candidate without content': gemini(undefined),
  'a response without output': response([]),
  'a response of an empty message': response([message(part(''))]),
  'a response that only thought': response([{ type: 'reasoning', summary: [] }]),
}

const SAYING: Record<string, unknown> = {
  'a chat': chat({ role: 'assistant', content: 'hello' }),
  'a blank': chat({ role: 'assistant', content: ' ' }),
  'one of two choices': {
    choices: [...chat({ content: '' }).choices, ...chat({ content: 'a' }).choices],
  },
  'a call': chat({ role: 'assistant', content: null, tool_calls: [{ type: 'function' }] }),
  'a refusal': chat({ role: 'assistant', content: null, refusal: 'no' }),
  'a reason': chat({ role: 'assistant', content: '' }, 'content_filter'),
  'a limit of tokens': chat({ role: 'assistant', content: '' }, 'length'),
  'a message': claude([{ type: 'text', text: 'hello' }]),
  'the use of a tool': claude([{ type: 'tool_use', id: 't', name: 'n', input: {} }]),
  'a refusing message': claude([], 'refusal'),
  'a candidate': gemini({ parts: [{ text: 'hello' }] }),
  'a function call': gemini({ parts: [{ functionCall: { name: 'n' } }] }),
  'a blocked prompt': { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: {} },
  'a blocked candidate': gemini({ parts: [] }, 'SAFETY'),
  'a response': response([message(part('hello'))]),
  'a response that calls': response([{ type: 'function_call', name: 'n', arguments: '' }]),
  'a response that goes on': response([], 'in_progress'),
  'a response that was cut': response([], 'incomplete'),
  embeddings: { object: 'list', data: [], usage: {} },
  'embeddings with numbers': { embeddings: [], usageMetadata: {} },
  'a list': [],
  'a text': 'text',
  nothing: undefined,
  'something else': { id: 'file_1' },
}

/** How often a request whose attempts all answer that is made, and what comes of it. */
async function made(value: () => unknown, options: Partial<RunOptions> = {}) {
  const { pool } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  const answers: unknown[] = []
  const request = { provider: PROVIDER, retryEmptyResponses: true, ...options }
  const answer = await pool.run(request, () => {
    answers.push(value())
    return answers.at(-1)
  })
  return { pool, answers, answer }
}

const json = (value: unknown) => Response.json(value)

test.each(Object.entries(EMPTY))('%s is empty, however it comes', async (_, value) => {
  for (const come of [
    () => structuredClone(value),
    () => json(value),
    () => ({ status: 200, body: structuredClone(value) }),
    () => ({ status: 200, headers: {}, body: JSON.stringify(value) }),
  ]) {
    const { pool, answers, answer } = await made(come)
    expect(answers).toHaveLength(2)
    expect(answer, 'the last one is handed over as it is').toBe(answers[1])
    if (answer instanceof Response) expect(await answer.json()).toEqual(value)
    for (const id of ['A', 'B']) {
      expect(statusOf(pool, id), 'nobody is to blame').toMatchObject({
        state: 'available',
        successes: 1,
        failures: 0,
        inFlight: 0,
      })
    }
  }
})

test.each(Object.entries(SAYING))('%s is an answer', async (_, value) => {
  for (const come of [
    () => value,
    () => json(value ?? null),
    () => ({ status: 200, body: value }),
  ]) {
    expect((await made(come)).answers).toHaveLength(1)
  }
})

test('nothing is looked at unless it is wanted', async () => {
  for (const value of Object.values(EMPTY)) {
    expect((await made(() => json(value), { retryEmptyResponses: false })).answers).toHaveLength(1)
    const usual = await made(() => value, { retryEmptyResponses: undefined })
    expect(usual.answers).toHaveLength(1)
  }
})

test('a body that is read by then, or is no JSON, is not looked at', async () => {
  const read = async () => {
    const answer = json({ choices: [] })
    await answer.text()
    return answer
  }
  expect((await made(read)).answers).toHaveLength(1)
  const page = () => new Response('{"choices":[]}', { headers: { 'content-type': 'text/html' } })
  expect((await made(page)).answers).toHaveLength(1)
  const long = { choices: [], note: 'x'.repeat(70_000) }
  expect((await made(() => json(long))).answers).toHaveLength(1)
})

test('another credential that has more to say is heard, and what came before is let go', async () => {
  const { pool } = poolOf(rows('A', 'B', 'C'), { strategy: 'fill-first' })
  const answers: Response[] = []
  const answer = await pool.run({ provider: PROVIDER, retryEmptyResponses: true }, (lease) => {
    const content = lease.credential.id === 'C' ? 'hello' : ''
    answers.push(json(chat({ role: 'assistant', content })))
    return answers.at(-1)
  })
  expect(answer).toBe(answers[2])
  expect(answers.map(({ bodyUsed }) => bodyUsed)).toEqual([true, true, false])
})

test('an attempt may say itself that its answer is empty', async () => {
  const { pool } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  const seen: string[] = []
  const verdicts: unknown[] = []
  const retry = (verdict: unknown) => {
    verdicts.push(verdict)
    return true
  }
  const answer = await pool.run({ provider: PROVIDER, retry }, (lease) => {
    seen.push(lease.credential.id)
    return new EmptyAnswer(lease.credential.id)
  })
  expect(answer).toBe('B')
  expect(seen).toEqual(['A', 'B'])
  const told = { class: 'server_error', scope: 'request', retryOther: true }
  expect(verdicts).toMatchObject([told, told])
})

test('what an attempt says of its answer counts, wherever else is looked', async () => {
  expect((await made(() => new EmptyAnswer('opaque'))).answers).toHaveLength(2)
})

test('the same rules hold as after a failure: the budget, the hook, the tiers, who is tried', async () => {
  const empty = () => chat({ content: '' })
  expect((await made(empty, { maxAttempts: 1 })).answers).toHaveLength(1)
  expect((await made(empty, { retry: () => false })).answers).toHaveLength(1)
  const { pool } = poolOf([row('A', { priority: 1 }), row('B', { priority: 1 }), row('C')])
  const seen: string[] = []
  await pool.run({ provider: PROVIDER, retryEmptyResponses: true }, ({ credential }) => {
    seen.push(credential.id)
    return empty()
  })
  expect(seen).toEqual(['A', 'C'])
})

test('an error without content is an error', async () => {
  expect((await made(() => ({ choices: [], error: { message: 'no' } }))).answers).toHaveLength(1)
  const { pool } = poolOf(rows('A'))
  const answer = await pool.run({ provider: PROVIDER, retryEmptyResponses: true }, () => {
    return Response.json({ choices: [] }, { status: 429 })
  })
  expect((answer as Response).status).toBe(429)
  expect(statusOf(pool, 'A').state).toBe('cooling')
})

test('an answer is not lost when the pool was disposed meanwhile', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const value = chat({ content: '' })
  const answer = await pool.run({ provider: PROVIDER, retryEmptyResponses: true }, () => {
    pool.dispose()
    return value
  })
  expect(answer).toBe(value)
})

test.each([0, 'yes', null])('retryEmptyResponses may not be %j', async (value) => {
  const { pool } = poolOf(rows('A'))
  const options = { provider: PROVIDER, retryEmptyResponses: value as unknown as boolean }
  const error = await rejected(pool.run(options, () => 1))
  expect(error).toMatchObject({ code: 'invalid_option', path: 'retryEmptyResponses' })
})
