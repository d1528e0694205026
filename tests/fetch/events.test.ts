import { describe, expect, test } from 'vitest'
import { announcesEnd, EventReader, idsMadeBy, idsOf, kindOf } from '../../js/fetch/events.ts'

const data = (json: unknown, name = '') => ({ name, data: JSON.stringify(json) })
const chat = (delta: object, finish_reason: string | null = null) =>
  data({ choices: [{ delta, finish_reason }] })

describe('the reader of events', () => {
  test.each(['\n', '\r\n', '\r'])('knows lines that end with %j', (end) => {
    const text = ['event: a', 'data: 1', '', 'data: 2', '', ''].join(end)
    const reader = new EventReader()
    const events = [...reader.push(text), ...reader.rest()]
    expect(events).toEqual([
      { name: 'a', data: '1' },
      { name: '', data: '2' },
    ])
  })

  test('finds the same events wherever the text is cut', () => {
    const text = 'event: a\r\ndata: {"x":\r\ndata: 1}\r\n\r\n: comment\r\ndata:[DONE]\r\n\r\n'
    const whole = new EventReader().push(text)
    expect(whole).toEqual([
      { name: 'a', data: '{"x":\n1}' },
      { name: '', data: '[DONE]' },
    ])
    for (let at = 1; at < text.length; at++) {
      const reader = new EventReader()
      const events = [...reader.push(text.slice(0, at)), ...reader.push(text.slice(at))]
      expect(events, `cut at ${at}`).toEqual(whole)
    }
  })

  test('answers an event only when it is complete', () => {
    const reader = new EventReader()
    expect(reader.push('data: 1\n')).toEqual([])
    expect(reader.push('\n')).toHaveLength(1)
  })

  test('takes what came last without a blank line for an event', () => {
    const reader = new EventReader()
    reader.push('data: 1')
    expect(reader.rest()).toEqual([{ name: '', data: '1' }])
  })

  test('an event without data is none', () => {
    expect(new EventReader().push('event: ping\n\n: keep-alive\n\n')).toEqual([])
  })
})

describe('what an event is', () => {
  test.each([
    ['content', 'a chunk with text', chat({ content: 'a' })],
    ['content', 'a tool call', chat({ tool_calls: [{ index: 0 }] })],
    ['content', 'a delta of a response', data({ type: 'response.output_text.delta', delta: 'a' })],
    ['content', 'a delta of a message', data({ type: 'content_block_delta', delta: {} })],
    ['content', 'a part of a candidate', data({ candidates: [{ content: { parts: [{}] } }] })],
    ['content', 'what is not known', data({ anything: 1 })],
    ['content', 'what is no JSON', { name: '', data: 'hello' }],
    ['other', 'the role alone', chat({ role: 'assistant', content: '' })],
    ['other', 'the beginning of a response', data({ type: 'response.created', response: {} })],
    ['other', 'a ping', data({ type: 'ping' }, 'ping')],
    ['other', 'the beginning of a message', data({ type: 'message_start', message: {} })],
    ['other', 'numbers alone', data({ usageMetadata: {} })],
    ['finish', 'the reason why a chat ends', chat({}, 'stop')],
    ['finish', 'the reason why a candidate ends', data({ candidates: [{ finishReason: 'STOP' }] })],
    ['finish', 'what was blocked', data({ promptFeedback: { blockReason: 'SAFETY' } })],
    ['end', 'the mark of the end', { name: '', data: '[DONE]' }],
    ['end', 'the end of a message', data({ type: 'message_stop' }, 'message_stop')],
    ['end', 'the end of a response', data({ type: 'response.completed', response: {} })],
    ['end', 'the end of a transcript', data({ type: 'transcript.text.done', text: 'a' })],
    ['error', 'an error', data({ error: { message: 'x' } })],
    ['error', 'an event named error', { name: 'error', data: 'x' }],
    ['error', 'a response that failed', data({ type: 'response.failed', response: {} })],
  ] as const)('%s: %s', (kind, _, event) => {
    expect(kindOf(event)).toBe(kind)
  })

  test('a text that speaks of errors is content', () => {
    expect(kindOf(chat({ content: '{"error": "rate_limit_exceeded"}' }))).toBe('content')
  })
})

test.each([
  [true, 'a chat', chat({})],
  [true, 'a message', data({ type: 'message_start' })],
  [true, 'a response', data({ type: 'response.created' })],
  [true, 'candidates', data({ candidates: [] })],
  [false, 'what is not known', data({ anything: 1 })],
  [false, 'what is no JSON', { name: '', data: 'hello' }],
] as const)('announces its end, %s: %s', (answer, _, event) => {
  expect(announcesEnd(event)).toBe(answer)
})

test('the ids that later requests continue are those of responses and conversations', () => {
  expect(idsOf({ id: 'resp_1', conversation: { id: 'conv_1' } })).toEqual(['resp_1', 'conv_1'])
  for (const other of [
    { id: 'chatcmpl-1' },
    { id: 1 },
    { id: null, conversation: null },
    null,
    'x',
  ]) {
    expect(idsOf(other)).toEqual([])
  }
})

test('a stream names what it made when it begins', () => {
  const created = data({ type: 'response.created', response: { id: 'resp_1' } })
  expect(idsMadeBy(created)).toEqual(['resp_1'])
  expect(idsMadeBy(data({ type: 'response.in_progress', response: { id: 'resp_1' } }))).toEqual([])
})
