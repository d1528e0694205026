import * as keyrota from 'keyrota'
import { scenario } from '../../scenario.mjs'

export const dynamic = 'force-dynamic'

export default async function Page() {
  return <pre>{encodeURIComponent(JSON.stringify(await scenario(keyrota)))}</pre>
}
