/**
 * Lists of models, in the shape that clients of each protocol read.
 * @module
 */

import type { Protocol } from 'keyrota'
import { apiOfProtocol } from './protocols.js'

/** Nobody knows when a model was made; a moment that is always the same tells nothing wrong. */
const CREATED = '1970-01-01T00:00:00Z'

/** The protocols whose clients list models where that one's do. */
export function listedWith(protocol: Protocol): readonly Protocol[] {
  return apiOfProtocol(protocol) === 'openai' ? ['openai-chat', 'openai-responses'] : [protocol]
}

/** One model. */
export function modelObject(name: string, protocol: Protocol): object {
  const api = apiOfProtocol(protocol)
  if (api === 'gemini') return { name: `models/${name}`, displayName: name }
  if (api === 'anthropic') {
    return { type: 'model', id: name, display_name: name, created_at: CREATED }
  }
  return { id: name, object: 'model', created: 0, owned_by: 'keyrota' }
}

/** All of them, as one page. */
export function modelList(names: readonly string[], protocol: Protocol): object {
  const data = names.map((name) => modelObject(name, protocol))
  const api = apiOfProtocol(protocol)
  if (api === 'gemini') return { models: data }
  if (api === 'anthropic') {
    return { data, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null }
  }
  return { object: 'list', data }
}
