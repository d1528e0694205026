// pkg/build.json says what pkg/ was built from and with, so that anyone can tell a stale one and
// build the same again.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { wasmBindgenVersion } from '../wasm-toolchain.mjs'

const SOURCES = [
  'Cargo.lock',
  'Cargo.toml',
  'js',
  'scripts/build',
  'scripts/build.mjs',
  'scripts/wasm-toolchain.mjs',
  'src',
  'tsconfig.json',
]

export const RECORD = 'build.json'

/**
 * @param {string} folder a built package
 * @param {string} rustc the text of `rustc -vV`
 */
export function writeRecord(folder, rustc) {
  const bytes = Object.fromEntries(
    builtFiles(folder).map((file) => [file, readFileSync(join(folder, file)).length]),
  )
  const record = { sources: sourcesDigest(), rustc, tools: toolVersions(), bytes }
  writeFileSync(join(folder, RECORD), `${JSON.stringify(record, null, 2)}\n`)
}

export function readRecord(folder) {
  return JSON.parse(readFileSync(join(folder, RECORD), 'utf8'))
}

/** One hash over the name and the content of every source, in the order of the names. */
export function sourcesDigest() {
  const hash = createHash('sha256')
  for (const file of SOURCES.flatMap(filesUnder).toSorted()) {
    hash.update(`${file}\0${createHash('sha256').update(readFileSync(file)).digest('hex')}\n`)
  }
  return hash.digest('hex')
}

/** Every file of a built package but its record. */
export function builtFiles(folder) {
  const files = filesUnder(folder).map((file) => file.slice(folder.length + 1))
  return files.filter((file) => file !== RECORD).toSorted()
}

export function gzipSize(file) {
  return gzipSync(readFileSync(file), { level: 9 }).length
}

function toolVersions() {
  const installed = (name) =>
    JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')).version
  return {
    'wasm-bindgen': wasmBindgenVersion(),
    ...Object.fromEntries(
      ['binaryen', 'esbuild', 'typescript'].map((name) => [name, installed(name)]),
    ),
  }
}

/** A file is itself; a folder is everything below it. Slashes are forward on every system. */
function filesUnder(path) {
  const entries = (() => {
    try {
      return readdirSync(path, { recursive: true, withFileTypes: true })
    } catch (error) {
      if (error.code === 'ENOTDIR') return null
      throw error
    }
  })()
  if (!entries) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll(sep, '/'))
}
