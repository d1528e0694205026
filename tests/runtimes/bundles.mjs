// What the rows of the bundlers share: where a bundle runs, and how large it is.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBrowser, visit } from './browser.mjs'
import { run } from './process.mjs'
import { expectPrinted, expectRecorded } from './row.mjs'
import { serve } from './server.mjs'

const KILOBYTE = 1_000
const hasChromium = findBrowser('chromium') !== null

/** Imports a tool from where the row's tools are. */
export async function load(home, name) {
  const path = createRequire(join(home, 'package.json')).resolve(name)
  const module = await import(pathToFileURL(path).href)
  return module.default ?? module
}

/** Runs a bundle in Node. */
export async function tellInNode(file) {
  expectPrinted(await run([process.execPath, file]))
}

/**
 * Runs a bundle in Chromium, from a page that is in the same folder or that is made for it here.
 * @param {string} folder
 * @param {string} [script] the bundle, if the folder has no page of its own
 * @param {'module' | 'text/javascript'} [type]
 */
export async function tellInChromium(folder, script, type = 'module') {
  if (!hasChromium) throw new Error('Chromium is not installed')
  if (script) writeFileSync(join(folder, 'index.html'), pageOf(script, type))
  const server = await serve(folder)
  try {
    expectRecorded(await visit('chromium', server.url, () => server.answer('story')))
  } finally {
    server.close()
  }
}

/** A page with one script. */
export function pageOf(script, type) {
  return `<!doctype html><title>a bundle</title><body></body><script type="${type}" src="${script}"></script>`
}

/** Throws unless the bundle of `unused.mjs` has nothing in it but that file's own line. */
export function expectSmall(file) {
  const text = readFileSync(file, 'utf8')
  if (!text.includes('no pool here')) throw new Error(`this is no bundle of it: ${text}`)
  const { length } = text
  if (length >= KILOBYTE) throw new Error(`an unused import is ${length} bytes in the bundle`)
}

/** The only file of a folder whose name ends so. */
export function fileIn(folder, ending) {
  const [file, ...others] = readdirSync(folder).filter((name) => name.endsWith(ending))
  if (file === undefined || others.length > 0) throw new Error(`not one ${ending} in ${folder}`)
  return join(folder, file)
}
