/**
 * Speaks like Gemini: generateContent and its streams.
 * @module
 */

import { type Dialect, event, PIECES, type Said, TEXT, type Trouble } from './dialect.ts'

const ERRORS: Record<Trouble, Said> = {
  limited: error(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
  // A bad key is told as a bad request, with a reason.
  unauthorized: error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
    },
  ]),
  overloaded: error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  bad: error(400, 'INVALID_ARGUMENT', 'Invalid value at generation_config.temperature'),
}

export const gemini: Dialect = {
  secretOf: ({ headers, query }) => headers.get('x-goog-api-key') ?? query.get('key') ?? '',
  error: (trouble) => ERRORS[trouble],
  errorEvent: (_, trouble) => event(ERRORS[trouble].body),
  wantsStream: ({ path }) => path.endsWith(':streamGenerateContent'),
  answer({ path }, text = TEXT) {
    if (path.endsWith(':generateContent')) return said(text, 'STOP')
    if (path.endsWith('/models')) return { models: [{ name: 'models/gemini-2.5-flash' }] }
    return undefined
  },
  stream: (_, pieces = PIECES) => ({
    opening: [],
    content: pieces.slice(0, -1).map((piece) => event(said(piece))),
    closing: [event(said(pieces.at(-1) ?? '', 'STOP'))],
  }),
}

function error(status: number, word: string, message: string, details?: unknown): Said {
  return { status, body: { error: { code: status, message, status: word, details } } }
}

function said(text: string, finishReason?: string): unknown {
  // What says nothing has no parts.
  const content = { ...(text !== '' && { parts: [{ text }] }), role: 'model' }
  return {
    candidates: [{ content, index: 0, finishReason }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 7, totalTokenCount: 10 },
    modelVersion: 'gemini-2.5-flash',
  }
}
