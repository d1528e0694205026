// TypeScript: a program that uses every public type, under each way of finding modules.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installApp, installTools, versionOf } from '../install.mjs'
import { run } from '../process.mjs'
import { check, finish } from '../row.mjs'

const COMPILERS = ['typescript-5.4', 'typescript-5.9', 'typescript-7']
const MODULES = {
  nodenext: { module: 'nodenext', include: ['use.mts', 'use.cts'] },
  node16: { module: 'node16', include: ['use.mts', 'use.cts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', include: ['use.mts'] },
}
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // The package's own declarations are checked too.
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  // `AbortSignal` and `Headers` come from the DOM here.
  lib: ['es2022', 'dom'],
  types: [],
}

const home = installTools('typescript')
const app = installApp('typings', home)
for (const compiler of COMPILERS) {
  const tsc = join(home, 'node_modules', compiler, 'bin', 'tsc')
  for (const [name, { include, ...modules }] of Object.entries(MODULES)) {
    await check(`TypeScript ${versionOf(home, compiler)}`, name, async () => {
      const config = `tsconfig.${name}.json`
      const compilerOptions = { ...STRICT, ...modules }
      writeFileSync(join(app, config), JSON.stringify({ compilerOptions, include }))
      await run([process.execPath, tsc, '--project', config], { cwd: app })
    })
  }
}
finish()
