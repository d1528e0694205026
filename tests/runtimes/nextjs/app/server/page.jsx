import * as keyrota from 'keyrota'
import { scenario } from '../../scenario.mjs'

export const dynamic = 'force-dynamic'

export default async function Page() {
  return <pre>{Buffer.from(JSON.stringify(await scenario(keyrota))).toString('base64')}</pre>
}
