// Each SDK as the tests use it: one way to ask, one to stream.

const DEFAULT_TURNS = ['What is new?']
const MODELS = { openai: 'gpt-5-mini', anthropic: 'claude-sonnet-5', gemini: 'gemini-2.5-flash' }

/**
 * @param {(name: string) => Promise<any>} load
 * @returns {Promise<import('./sdk.ts').Sdk[]>}
 */
export async function makeSdks(load) {
  const { default: OpenAI } = await load('openai')
  const { default: Anthropic } = await load('@anthropic-ai/sdk')
  const google = await load('@google/genai')
  const ai = await load('ai')
  const { createOpenAI } = await load('@ai-sdk/openai')
  const { createAnthropic } = await load('@ai-sdk/anthropic')
  const { createGoogleGenerativeAI } = await load('@ai-sdk/google')
  return [
    openaiChat(OpenAI),
    openaiResponses(OpenAI),
    anthropicMessages(Anthropic),
    googleGenAi(google),
    vercel(ai, 'openai', createOpenAI, '/v1'),
    vercel(ai, 'anthropic', createAnthropic, '/v1'),
    vercel(ai, 'gemini', createGoogleGenerativeAI, '/v1beta'),
  ]
}

/** What OpenAI's and Anthropic's SDKs have in common: both are made from one mould. */
function stainless(Sdk) {
  return {
    statusOf: (error) => error?.status,
    isLimit: (error) => error instanceof Sdk.RateLimitError,
    secondsIn: (error) => Number(error.headers.get('retry-after')),
  }
}

function openaiClient(OpenAI, { url, fetch, retries }) {
  return new OpenAI({ apiKey: 'pooled', baseURL: `${url}/v1`, fetch, maxRetries: retries })
}

function openaiChat(OpenAI) {
  const body = ({ turns = DEFAULT_TURNS }) => ({ model: MODELS.openai, messages: talk(turns) })
  return {
    name: 'openai, chat',
    dialect: 'openai',
    ...stainless(OpenAI),
    connect(way) {
      const { completions } = openaiClient(OpenAI, way).chat
      return {
        async ask(asked = {}) {
          const { choices } = await completions.create(body(asked), options(asked))
          return choices[0].message.content
        },
        async *stream(asked = {}) {
          const wanted = { ...body(asked), stream: true }
          for await (const chunk of await completions.create(wanted, options(asked))) {
            yield chunk.choices[0]?.delta.content ?? ''
          }
        },
      }
    },
  }
}

function openaiResponses(OpenAI) {
  const body = ({ turns = DEFAULT_TURNS }) => ({ model: MODELS.openai, input: talk(turns) })
  return {
    name: 'openai, responses',
    dialect: 'openai',
    ...stainless(OpenAI),
    connect(way) {
      const { responses } = openaiClient(OpenAI, way)
      return {
        async ask(asked = {}) {
          return (await responses.create(body(asked), options(asked))).output_text
        },
        async *stream(asked = {}) {
          const wanted = { ...body(asked), stream: true }
          for await (const event of await responses.create(wanted, options(asked))) {
            if (event.type === 'response.output_text.delta') yield event.delta
            // This one leaves it to its user.
            if (event.type === 'error')
              throw Object.assign(new Error(event.message), { status: 429 })
          }
        },
      }
    },
  }
}

function anthropicMessages(Anthropic) {
  const body = ({ turns = DEFAULT_TURNS }) => ({
    model: MODELS.anthropic,
    max_tokens: 100,
    messages: talk(turns),
  })
  return {
    name: '@anthropic-ai/sdk',
    dialect: 'anthropic',
    ...stainless(Anthropic),
    connect({ url, fetch, retries }) {
      const client = new Anthropic({ apiKey: 'pooled', baseURL: url, fetch, maxRetries: retries })
      return {
        async ask(asked = {}) {
          return (await client.messages.create(body(asked), options(asked))).content[0].text
        },
        async *stream(asked = {}) {
          const wanted = { ...body(asked), stream: true }
          for await (const event of await client.messages.create(wanted, options(asked))) {
            if (event.type === 'content_block_delta') yield event.delta.text
          }
        },
      }
    },
  }
}

function googleGenAi({ GoogleGenAI, ApiError }) {
  const body = ({ turns = DEFAULT_TURNS, signal }) => ({
    model: MODELS.gemini,
    contents: talk(turns).map(({ role, content }) => ({
      role: role === 'user' ? 'user' : 'model',
      parts: [{ text: content }],
    })),
    config: { abortSignal: signal },
  })
  return {
    name: '@google/genai',
    dialect: 'gemini',
    statusOf: (error) => error?.status,
    isLimit: (error) => error instanceof ApiError && error.status === 429,
    secondsIn: (error) => Number(/"retryDelay":"(\d+)s"/.exec(error.message)?.[1]),
    connect({ url, fetch, retries }) {
      const retryOptions = { attempts: retries + 1, initialDelay: 0.001, jitter: 0 }
      const httpOptions = { baseUrl: url, fetch, ...(retries > 0 && { retryOptions }) }
      const client = new GoogleGenAI({ apiKey: 'pooled', httpOptions })
      return {
        ask: async (asked = {}) => (await client.models.generateContent(body(asked))).text,
        async *stream(asked = {}) {
          for await (const chunk of await client.models.generateContentStream(body(asked))) {
            yield chunk.text ?? ''
          }
        },
      }
    },
  }
}

function vercel({ generateText, streamText, APICallError }, dialect, create, path) {
  return {
    name: `ai, ${dialect}`,
    dialect,
    statusOf: (error) => error?.statusCode ?? error?.lastError?.statusCode,
    isLimit: (error) => APICallError.isInstance(error) && error.statusCode === 429,
    secondsIn: (error) => Number(error.responseHeaders['retry-after']),
    connect({ url, fetch, retries }) {
      const model = create({ apiKey: 'pooled', baseURL: `${url}${path}`, fetch })(MODELS[dialect])
      const body = ({ turns = DEFAULT_TURNS, signal }) => ({
        ...{ model, messages: talk(turns), maxRetries: retries, abortSignal: signal },
      })
      return {
        ask: async (asked = {}) => (await generateText(body(asked))).text,
        async *stream(asked = {}) {
          // Without a listener it prints its errors.
          const { fullStream } = streamText({ ...body(asked), onError() {} })
          for await (const part of fullStream) {
            if (part.type === 'text-delta') yield part.text
            if (part.type === 'error') throw part.error
            if (part.type === 'abort') throw new DOMException('aborted', 'AbortError')
          }
        },
      }
    },
  }
}

/** What the user said, with an answer to all but the last. */
function talk(turns) {
  return turns.flatMap((content, at) => [
    ...(at === 0 ? [] : [{ role: 'assistant', content: `Answer ${at}.` }]),
    { role: 'user', content },
  ])
}

function options({ signal }) {
  return signal === undefined ? {} : { signal }
}
