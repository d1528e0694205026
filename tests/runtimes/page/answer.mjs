import * as keyrota from './node_modules/keyrota/pkg/index.js'
import { scenario } from './scenario.mjs'

/** Tells the story, and the row what came of it. */
export async function tellRow(name) {
  await send(
    name,
    await scenario(keyrota).catch((error) => ({ code: error.code, message: error.message })),
  )
}

export function send(name, answer) {
  return fetch(`/answer/${name}`, { method: 'POST', body: JSON.stringify(answer) })
}
