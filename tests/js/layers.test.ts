import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../js/', import.meta.url))

/** The modules of the pool, from the bottom to the top: each knows those of the rows below its own. */
const ROWS: readonly (readonly string[])[] = [
  // The vocabulary.
  ['types'],
  ['option-types'],
  ['route-types'],
  ['errors'],
  ['events', 'secrets', 'outcome', 'clock', 'empty'],
  // The only code that knows the WebAssembly.
  ['wasm/text', 'wasm/utf8', 'wasm/instance'],
  ['wasm/core'],
  // What the pool is made of.
  ['session', 'options', 'loading'],
  ['classify', 'describe', 'settings', 'route-options', 'route-settings'],
  ['provider'],
  ['inline', 'request', 'explanation', 'strategy'],
  ['rows', 'callbacks'],
  ['engine'],
  ['lease', 'refusal'],
  ['routed-lease', 'listening', 'waiting'],
  ['run'],
  ['probe'],
  ['pool', 'router'],
  // What users import.
  ['index'],
  ['entry/default', 'entry/workerd', 'entry/edge-light', 'entry/slim'],
]

/** Each is an entry of its own, over the package as users see it. */
const INTEGRATIONS: readonly string[] = ['service', 'cli', 'fetch', 'gateway']

/** Whose parts, beside its own, an integration is made of. */
const MADE_OF: Readonly<Record<string, string>> = { gateway: 'fetch' }

/** The packages that an integration may import: the user installs them beside this one. */
const PEERS: Readonly<Record<string, readonly string[]>> = { gateway: ['hono', 'zod'] }

interface Import {
  readonly from: string
  /** As it stands in the source. */
  readonly specifier: string
  /** The module of ours that it names, if one. */
  readonly to: string | undefined
  readonly isType: boolean
}

/** Whether a module is an integration, or stands in the folder of one. */
function integrationOf(module: string): string | undefined {
  return INTEGRATIONS.find((name) => module === name || module.startsWith(`${name}/`))
}

const modules = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''))
const imports = modules.flatMap(importsOf)

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, `${from}.ts`), 'utf8')
  const source = ts.createSourceFile(from, text, ts.ScriptTarget.Latest)
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, isType: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return
    const path = specifier.text.startsWith('.')
      ? normalize(join(dirname(from), specifier.text)).replaceAll('\\', '/')
      : undefined
    const to = path?.startsWith('..') ? undefined : path?.replace(/\.js$/, '')
    found.push({ from, specifier: specifier.text, to, isType })
  }
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false)
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly)
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false)
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function rowOf(module: string): number {
  return ROWS.findIndex((row) => row.includes(module))
}

const shown = ({ from, specifier }: Import) => `${from} imports ${specifier}`

test('every module has its place in the order', () => {
  const ours = modules.filter((module) => integrationOf(module) === undefined)
  expect(ROWS.flat().sort()).toEqual(ours.sort())
  expect(INTEGRATIONS.filter((name) => !modules.includes(name))).toEqual([])
})

test('a module imports only from the rows below its own', () => {
  const inside = imports.filter(({ from }) => rowOf(from) >= 0)
  expect(inside.length).toBeGreaterThan(30)
  const upwards = inside.filter(
    ({ from, to }) => to !== undefined && !(rowOf(to) >= 0 && rowOf(to) < rowOf(from)),
  )
  expect(upwards.map(shown)).toEqual([])
})

test('only js/wasm imports the glue, and only an entry the WebAssembly', () => {
  const generated = imports.filter(({ specifier }) => specifier.includes('pkg/'))
  const glue = generated.filter(({ specifier }) => specifier.endsWith('core_bg.js'))
  expect(glue.length).toBeGreaterThan(0)
  expect(glue.filter(({ from }) => !from.startsWith('wasm/')).map(shown)).toEqual([])
  const others = generated.filter((one) => !glue.includes(one))
  const wrong = others.filter(
    ({ from, specifier }) => !from.startsWith('entry/') || !specifier.endsWith('/pkg/keyrota.wasm'),
  )
  expect(wrong.map(shown)).toEqual([])
})

test('an integration takes the package by its name, and of the other sources only types', () => {
  const theirs = imports.filter(({ from }) => integrationOf(from) !== undefined)
  expect(theirs.some(({ specifier }) => specifier === 'keyrota')).toBe(true)
  const wrong = theirs.filter(({ from, specifier, to, isType }) => {
    const own = integrationOf(from) ?? ''
    const isOwn = to !== undefined && integrationOf(to) === own
    const isPart = to?.startsWith(`${MADE_OF[own]}/`) || PEERS[own]?.includes(specifier)
    const isTypes = (to === 'types' || to === 'option-types') && isType
    return specifier !== 'keyrota' && !isOwn && !isPart && !isTypes
  })
  // The command line is a program of Node.
  expect(wrong.filter(({ specifier }) => !specifier.startsWith('node:')).map(shown)).toEqual([])
  expect(wrong.every(({ from }) => from === 'cli')).toBe(true)
})

test('the pool imports no package: it has no dependencies, and knows no runtime', () => {
  const foreign = imports.filter(({ from, specifier }) => {
    return integrationOf(from) === undefined && !specifier.startsWith('.')
  })
  expect(foreign.map(shown)).toEqual([])
})

test('what a user installs beside the package is optional, and is what integrations import', () => {
  const manifest = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'))
  const peers = Object.values(PEERS).flat()
  expect(Object.keys(manifest.peerDependencies)).toEqual(peers)
  for (const name of peers) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true })
    expect(manifest.devDependencies[name]).toMatch(/^\d/)
  }
  const imported = imports.map(({ specifier }) => specifier)
  expect(peers.filter((name) => !imported.includes(name))).toEqual([])
})

test('a package manifest without dependencies says the same', () => {
  const manifest = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.sideEffects).toBe(false)
})
