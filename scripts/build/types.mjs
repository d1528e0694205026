// The declarations of everything public, once, as CommonJS declarations under pkg/types. Both
// `index.d.ts` and `index.d.cts` re-export them: an ES module may import CommonJS types but not the
// reverse, and two copies of a class would be two types.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { entries } from './entries.mjs'

// `Symbol.dispose` is in no library that a user's `lib` must name.
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n'
const EMITTED = join('target', 'types')
const COMMENT = /\/\*.*?\*\//gs
const SPECIFIER = /(\bfrom |\bimport\(|\bimport )(['"])(\.[^'"]+)\2/g

/** @param {string} out */
export function buildTypes(out) {
  rmSync(EMITTED, { recursive: true, force: true })
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'scripts/build/tsconfig.json']
  execFileSync(process.execPath, tsc, { stdio: 'inherit' })

  const written = new Set()
  for (const { name, source, types } of entries) {
    if (types === false) continue
    const root = relative('js', source)
    copyReachable(root, out, written)
    const body = `${DISPOSABLE}export * from './types/${root.replace(/\.ts$/, '.cjs')}'\n`
    writeFileSync(join(out, `${name}.d.ts`), body)
    writeFileSync(join(out, `${name}.d.cts`), body)
  }
}

/** Copies one declaration file and those that it mentions; nothing else is public. */
function copyReachable(source, out, written) {
  if (written.has(source)) return
  written.add(source)
  const text = readFileSync(join(EMITTED, source.replace(/\.ts$/, '.d.ts')), 'utf8')
  if (/\bWebAssembly\.\w/.test(text.replace(COMMENT, ''))) {
    throw new Error(
      `js/${source}: public types may not name WebAssembly, which servers' type libraries lack.`,
    )
  }

  const cjs = text
    .replace(SPECIFIER, (_, keyword, quote, path) => {
      const next = join(dirname(source), path.replace(/\.js$/, '.ts'))
      if (next.startsWith('..'))
        throw new Error(`js/${source}: public types may not reach ${path}.`)
      copyReachable(next, out, written)
      return `${keyword}${quote}${path.replace(/\.[jt]s$/, '.cjs')}${quote}`
    })
    // A private field makes a type equal only to itself; without it, the same type of another
    // installed copy of the package will do.
    .replace(/^ +#private;\n/gm, '')

  const file = join(out, 'types', source.replace(/\.ts$/, '.d.cts'))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, cjs)
}
