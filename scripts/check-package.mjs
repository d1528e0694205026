// Packs the package as it would be published, and has two judges look at it: is every path of
// package.json there, and do the types agree with what each module system gets?
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from './pack.mjs'

process.chdir(join(import.meta.dirname, '..'))

if (readFileSync('package-lock.json', 'utf8').includes('"resolved"')) {
  console.error(
    'package-lock.json names where packages were fetched from: npm install, with the .npmrc here',
  )
  process.exit(1)
}

const tarball = pack()
try {
  judge('publint', 'run', tarball, '--strict')
  // The raw WebAssembly has no types to judge.
  judge(
    'attw',
    tarball,
    '--profile',
    'node16',
    '--no-definitely-typed',
    '--exclude-entrypoints',
    './keyrota.wasm',
  )
} catch {
  process.exitCode = 1 // the judge has said why
}

function judge(tool, ...args) {
  execFileSync(join('node_modules', '.bin', tool), args, { stdio: 'inherit' })
}
