import { describe, expect, test } from 'vitest'
import { continuedBy, modelOf, type RequestFacts, sessionOf } from '../../js/fetch/facts.ts'

function facts(
  json: Record<string, unknown> | undefined,
  path = '/v1/chat/completions',
  headers: Record<string, string> = {},
): RequestFacts {
  const url = new URL(path, 'https://api.example.com')
  return { url, method: 'POST', headers: new Headers(headers), json }
}

const user = (content: unknown) => ({ role: 'user', content })

describe('the model', () => {
  test.each([
    ['of the body', { model: 'gpt-5' }, '/v1/chat/completions', 'gpt-5'],
    [
      'of the path of Gemini',
      {},
      '/v1beta/models/gemini-2.5-flash:generateContent',
      'gemini-2.5-flash',
    ],
    [
      'of the path of Vertex',
      {},
      '/v1/publishers/google/models/gemini-2.5-pro:predict',
      'gemini-2.5-pro',
    ],
    ['of a deployment', {}, '/openai/deployments/my-gpt/chat/completions', 'my-gpt'],
    [
      'of the path of Bedrock',
      {},
      '/model/anthropic.claude-v2%3A1/invoke',
      'anthropic.claude-v2:1',
    ],
    ['none in a list', undefined, '/v1/models', undefined],
    ['none that is no text', { model: 1 }, '/v1/x', undefined],
  ])('%s', (_, json, path, model) => {
    expect(modelOf(facts(json, path))).toBe(model)
  })
})

describe('what a request continues', () => {
  test.each([
    ['the response before it', { previous_response_id: 'resp_1' }, '/v1/responses', 'resp_1'],
    ['its conversation', { conversation: 'conv_1' }, '/v1/responses', 'conv_1'],
    [
      'its conversation as an object',
      { conversation: { id: 'conv_1' } },
      '/v1/responses',
      'conv_1',
    ],
    ['the response in the path', undefined, '/v1/responses/resp_1/cancel', 'resp_1'],
    ['the conversation in the path', undefined, '/v1/conversations/conv_1/items', 'conv_1'],
    ['nothing', { input: 'x', previous_response_id: null }, '/v1/responses', undefined],
  ])('%s', (_, json, path, id) => {
    expect(continuedBy(facts(json, path))).toBe(id)
  })
})

describe('the session', () => {
  const headers = ['x-session-id', 'session-id', 'session_id', 'x-conversation-id']

  test.each(headers)('is what the header %s names, before all else', (name) => {
    const json = { prompt_cache_key: 'cache', metadata: { user_id: 'u' }, conversation: 'c' }
    expect(sessionOf(facts(json, '/', { [name]: 's' }))).toBe('s')
    expect(sessionOf(facts(undefined, '/', { [name.toUpperCase()]: 's' }))).toBe('s')
    expect(sessionOf(facts(json, '/', { [name]: '' })), 'an empty one names none').toBe('cache')
  })

  test('is what the first of several headers names', () => {
    for (const at of headers.keys()) {
      const given = headers.slice(at).map((name, nth) => [name, `s${nth}`])
      expect(sessionOf(facts({}, '/', Object.fromEntries(given)))).toBe('s0')
    }
  })

  test.each([
    ['the key of the cache', { prompt_cache_key: 's', metadata: { user_id: 'u' } }],
    ['the user of the metadata', { metadata: { user_id: 's' }, conversation: 'c' }],
    ['the conversation', { conversation: { id: 's' } }],
  ])('is %s', (_, json) => {
    expect(sessionOf(facts({ ...json, messages: [user('hello')] }))).toBe('s')
  })

  const first = [{ role: 'system', content: 'Be kind.' }, user('hello')]
  const prefix = (json: Record<string, unknown>) => sessionOf(facts(json))

  test('is the same in every turn of a conversation', () => {
    const later = [...first, { role: 'assistant', content: 'hi' }, user('and now?')]
    expect(prefix({ messages: first })).toBeTypeOf('string')
    expect(prefix({ messages: later })).toBe(prefix({ messages: first }))
  })

  test.each([
    ['the instructions', { messages: [{ role: 'system', content: 'Be brief.' }, user('hello')] }],
    ['the first words', { messages: [first[0], user('good morning')] }],
    ['the tools', { messages: first, tools: [{ type: 'function' }] }],
    ['the system', { messages: first, system: 'x' }],
  ])('differs when %s differ', (_, json) => {
    expect(prefix(json)).not.toBe(prefix({ messages: first }))
  })

  test('does not change when the mark of the cache moves on', () => {
    const marked = { type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }
    const plain = { type: 'text', text: 'hello' }
    expect(prefix({ messages: [user([marked])] })).toBe(prefix({ messages: [user([plain])] }))
    const system = [{ type: 'text', text: 'Be kind.' }]
    const cached = [{ ...system[0], cache_control: { type: 'ephemeral' } }]
    const messages = [user('hello')]
    expect(prefix({ system: cached, messages })).toBe(prefix({ system, messages }))
  })

  test('is the same whether an input is a text or a list with it', () => {
    const list = [user([{ type: 'input_text', text: 'hello' }])]
    expect(prefix({ input: list })).toBe(prefix({ input: 'hello' }))
    expect(prefix({ input: 'hello', instructions: 'x' })).not.toBe(prefix({ input: 'hello' }))
  })

  test('of Gemini comes from its contents', () => {
    const contents = [{ parts: [{ text: 'hello' }] }]
    const later = [...contents, { role: 'model', parts: [{ text: 'hi' }] }]
    expect(prefix({ contents: later })).toBe(prefix({ contents }))
  })

  test.each([
    ['no body', undefined],
    ['no messages', { model: 'm' }],
    ['no word of the user', { messages: [{ role: 'system', content: 'x' }] }],
    ['texts to embed', { input: ['one', 'two'] }],
    ['messages that are none', { messages: [null, 1] }],
  ])('is none with %s', (_, json) => {
    expect(sessionOf(facts(json))).toBeUndefined()
  })
})
