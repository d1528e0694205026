import * as keyrota from 'keyrota'
import { prepare, scenario, tell } from '../../scenario.mjs'

export const runtime = 'edge'

const early = prepare(keyrota)

export async function GET() {
  return Response.json([await tell(early), await scenario(keyrota)])
}
