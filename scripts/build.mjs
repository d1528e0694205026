// Builds pkg/, the npm payload, from src/ and js/.
//
//   npm run build            builds pkg/
//   npm run build:check      fails when pkg/ is not what the sources give: when its digest is stale,
//                            and, with the compiler that built it, when the bytes differ
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './build/bundle.mjs'
import { buildCore } from './build/core.mjs'
import { builtFiles, gzipSize, readRecord, sourcesDigest, writeRecord } from './build/record.mjs'
import { buildTypes } from './build/types.mjs'
import { SETUP, wasmToolchain } from './wasm-toolchain.mjs'

const PKG = 'pkg'
const FRESH = join('target', 'pkg')
const BUDGET = 45 * 1024 // gzip, of everything in the default entry

process.chdir(join(import.meta.dirname, '..'))
try {
  await (process.argv.includes('--check') ? check() : rebuild())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function rebuild() {
  const toolchain = wasmToolchain()
  if (!toolchain) throw new Error(`No Rust here has the wasm32-unknown-unknown target: ${SETUP}`)
  await buildFresh(toolchain, { locked: false })
  rmSync(PKG, { recursive: true, force: true })
  renameSync(FRESH, PKG)
  printSizes()
}

async function check() {
  if (!existsSync(PKG)) throw new Error('pkg/ is missing: npm run build')
  const record = readRecord(PKG)
  if (record.sources !== sourcesDigest())
    throw new Error('pkg/ is older than its sources: npm run build')

  const toolchain = wasmToolchain()
  if (toolchain?.rustc === record.rustc) {
    await buildFresh(toolchain, { locked: true })
    const different = differences(PKG, FRESH)
    if (different.length > 0) {
      throw new Error(
        `pkg/ is not what its sources give: npm run build\n  ${different.join('\n  ')}`,
      )
    }
    console.log('pkg/ is what its sources give, byte for byte.')
  } else {
    const here = toolchain ? firstLine(toolchain.rustc) : 'none'
    console.log(
      `pkg/ is up to date; its bytes were not compared (by ${firstLine(record.rustc)}; here: ${here}).`,
    )
  }
  printSizes()
}

async function buildFresh(toolchain, options) {
  rmSync(FRESH, { recursive: true, force: true })
  buildCore(toolchain, FRESH, options)
  await bundle(FRESH)
  buildTypes(FRESH)
  writeRecord(FRESH, toolchain.rustc)
}

function differences(one, other) {
  const content = (folder, file) =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file)) : null
  const files = new Set([...builtFiles(one), ...builtFiles(other)])
  return [...files].filter((file) => {
    const [left, right] = [content(one, file), content(other, file)]
    return left === null || right === null || !left.equals(right)
  })
}

function printSizes() {
  for (const file of builtFiles(PKG).filter((name) => /\.(js|cjs|wasm)$/.test(name))) {
    const path = join(PKG, file)
    console.log(`${path.padEnd(24)} ${kb(readFileSync(path).length)} ${kb(gzipSize(path))} gzip`)
  }
  const over = gzipSize(join(PKG, 'index.js')) - BUDGET
  if (over > 0)
    console.log(`OVER BUDGET: pkg/index.js is ${kb(over).trim()} over ${kb(BUDGET).trim()} gzip`)
}

function kb(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`.padStart(9)
}

function firstLine(text) {
  return text.split('\n')[0]
}
