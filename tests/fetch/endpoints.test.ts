/**
 * What the SDKs do besides talking: files, embeddings, lists, counts.
 * @module
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limited, Providers, TEXT } from '../support/providers/index.ts'
// @ts-expect-error: plain JavaScript, which the runners use too
import { hasSdks, loaderOf } from './install.mjs'
import { Scene } from './scene.ts'

type Options = { readonly [name: string]: unknown }
type Made = new (options: Options) => unknown
const load = hasSdks('node20')
  ? ((await import(/* @vite-ignore */ loaderOf('node20'))).load as (name: string) => Promise<never>)
  : undefined
let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

/** A client whose first key is limited, so that every call fails over. */
async function client<Client>(name: string, dialect: string, base: string) {
  if (load === undefined) throw new Error(`${name} is not installed`)
  const { default: Sdk } = (await load(name)) as { default: Made }
  const at = new Scene(providers, dialect)
  at.script('a', limited(30))
  const baseURL = `${providers.url}${base}`
  const sdk = new Sdk({ apiKey: 'pooled', baseURL, maxRetries: 0, fetch: at.fetch }) as Client
  return { at, sdk }
}

/** The two attempts differ in the secret alone. */
function expectSame(at: Scene): void {
  expect(at.traffic).toBe('a1 b1')
  const [first, second] = ['a', 'b'].map((id) => {
    const [exchange] = providers.received(at.secret(id))
    return exchange?.raw.toString('latin1').replaceAll(at.secret(id), 'SECRET')
  })
  expect(first).not.toContain('pooled')
  expect(second).toBe(first)
}

describe.skipIf(load === undefined)('openai', () => {
  interface OpenAI {
    readonly files: { create(body: Options): Promise<{ id: string }> }
    readonly embeddings: { create(body: Options): Promise<{ data: { embedding: number[] }[] }> }
    readonly models: { list(): AsyncIterable<{ id: string }> }
    readonly images: { generate(body: Options): Promise<{ data: { b64_json: string }[] }> }
    readonly realtime: {
      readonly clientSecrets: { create(body: Options): Promise<{ value: string }> }
    }
  }
  const openai = () => client<OpenAI>('openai', 'openai', '/v1')

  test('uploads a file, and again with the next key', async () => {
    const { at, sdk } = await openai()
    const file = new File([new Uint8Array([0, 13, 10, 255, 45])], 'a.jsonl')
    const { id } = await sdk.files.create({ file, purpose: 'batch' })
    expect(id).toMatch(/^file_/)
    expectSame(at)
    const [exchange] = providers.received(at.secret('b'))
    expect(exchange?.body.includes(Buffer.from([0, 13, 10, 255, 45]))).toBe(true)
  })

  test('embeds', async () => {
    const { at, sdk } = await openai()
    const wanted = { model: 'text-embedding-3-small', input: ['a', 'b'], encoding_format: 'float' }
    const { data } = await sdk.embeddings.create(wanted)
    expect(data[0]?.embedding).toEqual([0.5, -0.25])
    expectSame(at)
  })

  test('makes images', async () => {
    const { at, sdk } = await openai()
    const { data } = await sdk.images.generate({ model: 'gpt-image-1', prompt: 'a key' })
    expect(data[0]?.b64_json).toBe('iVBORw0KGgo=')
    expectSame(at)
  })

  test('shakes hands for a realtime session', async () => {
    const { at, sdk } = await openai()
    const { value } = await sdk.realtime.clientSecrets.create({ session: { type: 'realtime' } })
    expect(value).toBe('ek_1')
    expectSame(at)
  })

  test('lists models', async () => {
    const { at, sdk } = await openai()
    const ids: string[] = []
    for await (const { id } of sdk.models.list()) ids.push(id)
    expect(ids).toEqual(['gpt-5-mini'])
    expectSame(at)
  })
})

describe.skipIf(load === undefined)('@anthropic-ai/sdk', () => {
  interface Streaming {
    on(event: 'text', listener: (text: string) => void): Streaming
    finalText(): Promise<string>
  }
  interface Anthropic {
    readonly messages: {
      countTokens(body: Options): Promise<{ input_tokens: number }>
      stream(body: Options): Streaming
    }
  }
  const anthropic = () => client<Anthropic>('@anthropic-ai/sdk', 'anthropic', '')
  const messages = [{ role: 'user', content: 'hello' }]

  test('counts tokens', async () => {
    const { at, sdk } = await anthropic()
    const { input_tokens } = await sdk.messages.countTokens({ model: 'claude-sonnet-5', messages })
    expect(input_tokens).toBe(12)
    expectSame(at)
  })

  test('streams by its helper', async () => {
    const { at, sdk } = await anthropic()
    let text = ''
    const stream = sdk.messages.stream({ model: 'claude-sonnet-5', max_tokens: 9, messages })
    stream.on('text', (piece) => {
      text += piece
    })
    expect(await stream.finalText()).toBe(TEXT)
    expect(text).toBe(TEXT)
    expectSame(at)
    await at.rest()
    expect(at.verdicts).toEqual(['rate_limited', 'ok'])
  })
})
