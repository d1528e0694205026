import * as keyrota from 'keyrota'
import { scenario } from '../../scenario.mjs'

export const dynamic = 'force-dynamic'

export async function GET() {
  return Response.json(await scenario(keyrota))
}
