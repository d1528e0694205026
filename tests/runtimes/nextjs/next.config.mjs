import { join } from 'node:path'

// Next would else take the folder of the outermost lock file for the app's.
const root = join(import.meta.dirname, '..')

export default { outputFileTracingRoot: root, turbopack: { root } }
