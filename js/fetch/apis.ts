/**
 * The APIs that differ in where a key stands and in how an error looks.
 * @module
 */

/** One of them; `openai` is what most others are compatible with. */
export type Api = 'openai' | 'azure' | 'anthropic' | 'gemini' | 'vertex'

/** The dialects of each, by all names that the rules of the core know (`src/classify/rules`). */
const DIALECTS: Readonly<Record<Api, string>> = {
  azure: 'azure-openai|azure',
  anthropic: 'anthropic|claude|anthropic-subscription|claude-code|claude-subscription',
  gemini: 'gemini|google|google-gemini|google-ai-studio',
  vertex:
    'vertex|google-vertex|vertex-ai|vertexai|google-codeassist|codeassist|gemini-cli|antigravity',
  openai: 'anthropic-openai-compat',
}

const APIS = Object.entries(DIALECTS).flatMap(([api, names]) =>
  names.split('|').map((name) => [name, api as Api] as const),
)
const BY_DIALECT: ReadonlyMap<string, Api> = new Map(APIS)

/**
 * The API of a dialect. As for the core, large letters are as small ones, and what begins with a name is of
 * it (`anthropic-team-a`); an API that a provider has beside its own is named last (`zhipu-anthropic`).
 */
export function apiOf(dialect: string): Api {
  const name = dialect.toLowerCase()
  if (/[-_./:]anthropic$/.test(name)) return 'anthropic'
  const parts = name.split(/(?=[-_./:])/)
  for (let length = parts.length; length > 0; length--) {
    const api = BY_DIALECT.get(parts.slice(0, length).join(''))
    if (api !== undefined) return api
  }
  return 'openai'
}
