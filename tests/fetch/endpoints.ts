/**
 * What the SDKs do besides talking: files, embeddings, images, lists, counts. The same rules hold for whichever
 * release of them and of Node.
 * @module
 */

import assert from 'node:assert/strict'
import { limited, type Providers, TEXT } from '../support/providers/index.ts'
import { Scene } from './scene.ts'

type Options = { readonly [name: string]: unknown }
type Made = new (options: Options) => unknown

/** Where the SDKs come from. */
export type Load = (name: string) => Promise<unknown>

/** What an SDK does, and the check of it. */
export interface Endpoint {
  readonly sdk: string
  readonly rule: string
  readonly check: (load: Load, providers: Providers) => Promise<void>
}

export const endpoints: readonly Endpoint[] = [...ofOpenAI(), ...ofAnthropic()]

/** A rule of an SDK whose first key is limited, so that the call fails over. */
function endpoint<Client>(
  sdk: string,
  [dialect, base]: readonly [dialect: string, base: string],
  rule: string,
  use: (client: Client, at: Scene) => Promise<void>,
): Endpoint {
  const check = async (load: Load, providers: Providers) => {
    const { default: Sdk } = (await load(sdk)) as { default: Made }
    const at = new Scene(providers, dialect)
    at.script('a', limited(30))
    const baseURL = `${providers.url}${base}`
    const made = new Sdk({ apiKey: 'pooled', baseURL, maxRetries: 0, fetch: at.fetch })
    await use(made as Client, at)
    assertSame(at)
  }
  return { sdk, rule, check }
}

/** The two attempts differ in the secret alone. */
function assertSame(at: Scene): void {
  assert.equal(at.traffic, 'a1 b1')
  const [first, second] = ['a', 'b'].map((id) => {
    const [exchange] = at.providers.received(at.secret(id))
    return exchange?.raw.toString('latin1').replaceAll(at.secret(id), 'SECRET')
  })
  assert(first?.includes('SECRET') && !first.includes('pooled'))
  assert.equal(second, first)
}

function ofOpenAI(): Endpoint[] {
  interface OpenAI {
    readonly files: { create(body: Options): Promise<{ id: string }> }
    readonly embeddings: { create(body: Options): Promise<{ data: { embedding: number[] }[] }> }
    readonly models: { list(): AsyncIterable<{ id: string }> }
    readonly images: { generate(body: Options): Promise<{ data: { b64_json: string }[] }> }
    readonly realtime: {
      readonly clientSecrets: { create(body: Options): Promise<{ value: string }> }
    }
  }
  const openai = (rule: string, use: (client: OpenAI, at: Scene) => Promise<void>) =>
    endpoint('openai', ['openai', '/v1'], rule, use)
  return [
    openai('uploads a file, and again with the next key', async (sdk, at) => {
      const file = new File([new Uint8Array([0, 13, 10, 255, 45])], 'a.jsonl')
      const { id } = await sdk.files.create({ file, purpose: 'batch' })
      assert.match(id, /^file_/)
      const [exchange] = at.providers.received(at.secret('b'))
      assert(exchange?.body.includes(Buffer.from([0, 13, 10, 255, 45])))
    }),
    openai('embeds', async (sdk) => {
      const input = ['a', 'b']
      const model = 'text-embedding-3-small'
      const { data } = await sdk.embeddings.create({ model, input, encoding_format: 'float' })
      assert.deepEqual(data[0]?.embedding, [0.5, -0.25])
    }),
    openai('makes images', async (sdk) => {
      const { data } = await sdk.images.generate({ model: 'gpt-image-1', prompt: 'a key' })
      assert.equal(data[0]?.b64_json, 'iVBORw0KGgo=')
    }),
    openai('shakes hands for a realtime session', async (sdk) => {
      const { value } = await sdk.realtime.clientSecrets.create({ session: { type: 'realtime' } })
      assert.equal(value, 'ek_1')
    }),
    openai('lists models', async (sdk) => {
      const ids: string[] = []
      for await (const { id } of sdk.models.list()) ids.push(id)
      assert.deepEqual(ids, ['gpt-5-mini'])
    }),
  ]
}

function ofAnthropic(): Endpoint[] {
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
  const anthropic = (rule: string, use: (client: Anthropic, at: Scene) => Promise<void>) =>
    endpoint('@anthropic-ai/sdk', ['anthropic', ''], rule, use)
  const asked = { model: 'claude-sonnet-5', messages: [{ role: 'user', content: 'hello' }] }
  return [
    anthropic('counts tokens', async (sdk) => {
      assert.equal((await sdk.messages.countTokens(asked)).input_tokens, 12)
    }),
    anthropic('streams by its helper', async (sdk, at) => {
      let text = ''
      const stream = sdk.messages.stream({ ...asked, max_tokens: 9 })
      stream.on('text', (piece) => {
        text += piece
      })
      assert.equal(await stream.finalText(), TEXT)
      assert.equal(text, TEXT)
      await at.rest()
      assert.deepEqual(at.verdicts, ['rate_limited', 'ok'])
    }),
  ]
}
