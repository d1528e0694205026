import * as keyrota from 'keyrota'
import { scenario } from './scenario.mjs'

export const config = { matcher: '/middleware' }

export async function middleware() {
  return Response.json(await scenario(keyrota))
}
