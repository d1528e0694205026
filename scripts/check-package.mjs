// Packs the package as it would be published, and has two judges look at it: is every path of
// package.json there, and do the types agree with what each module system gets? What its pages link to
// must be in it too.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
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

const packed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
const files = packed.map((path) => path.slice('package/'.length))
for (const page of files.filter((file) => file.endsWith('.md'))) {
  for (const [, link] of readFileSync(page, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
    const file = posix.join(posix.dirname(page), link)
    if (files.includes(file)) continue
    console.error(`${page} links to ${file}, which is not in the package`)
    process.exitCode = 1
  }
}

function judge(tool, ...args) {
  execFileSync(join('node_modules', '.bin', tool), args, { stdio: 'inherit' })
}
