// What an app pays for the package: the size of each entry beside its budget, and what a process
// that starts waits for. A size beyond its ceiling fails; a time is the machine's too, and only told.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSize } from './build/record.mjs'

process.chdir(join(import.meta.dirname, '..'))
const KB = 1024
const STARTS = 20
const FIRST_PICK_MS = 10 // the goal for the first pick, counted from the end of the import
const WASM = './pkg/keyrota.wasm'

// KB after gzip. The goal of what carries the core is not reached: most of it is WebAssembly. Until it
// is, the ceiling keeps it from growing unseen. Lower it when the core shrinks; raise it on purpose.
const CORE = { goal: 45, ceiling: 200 }
const BUDGETS = {
  '.': CORE,
  './slim': CORE, // with the file that its user hands over
  // Beside the default entry, which they import.
  './fetch': { goal: 12, ceiling: 12 },
  './gateway': { goal: 25, ceiling: 25 },
  './service': { goal: 4, ceiling: 4 },
}

const sizes = entries().map(measured)
const beyond = sizes.filter(({ gzip, budget }) => gzip > budget.ceiling * KB)
printSizes()
printStarts()
process.exitCode = beyond.length > 0 ? 1 : 0

/** The files that each `import` or `require` of the package loads, each set of files once. */
function entries() {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  const found = new Map()
  for (const [path, conditions] of Object.entries(exports)) {
    if (typeof conditions === 'string') continue // a file as it is, and no code
    if (!BUDGETS[path]) throw new Error(`${path} of package.json has no budget`)
    for (const file of targets(conditions)) {
      const files = [...loadedWith(file), ...(path === './slim' ? [WASM] : [])]
      found.set(files.join(), { name: name + path.slice(1), files, budget: BUDGETS[path] })
    }
  }
  return [...found.values()]
}

function targets(conditions) {
  const { types: _, ...others } = conditions
  return Object.values(others).flatMap((value) =>
    typeof value === 'string' ? [value] : targets(value),
  )
}

/** A file and the files of the package that it imports. */
function loadedWith(file) {
  const files = new Set([file])
  for (const one of files) {
    const text = one === WASM ? '' : readFileSync(one, 'utf8')
    for (const [, path] of text.matchAll(/\b(?:from|import|require)\b[ (]*["']\.\/([\w.-]+)/g)) {
      // A bundle has comments and texts in it, which may look like an import.
      if (existsSync(`./pkg/${path}`)) files.add(`./pkg/${path}`)
    }
  }
  return [...files]
}

function measured(entry) {
  const sum = (size) => entry.files.reduce((total, file) => total + size(file), 0)
  return { ...entry, raw: sum((file) => readFileSync(file).length), gzip: sum(gzipSize) }
}

function printSizes() {
  const line = (name, files, ...sizes) =>
    console.log(
      name.padEnd(16) + files.padEnd(31) + sizes.map((size) => size.padStart(10)).join(''),
    )
  line('entry', 'files', 'raw', 'gzip', 'goal', 'ceiling')
  for (const { name, files, raw, gzip, budget } of sizes) {
    const loaded = files.map((file) => file.replace('./pkg/', '')).join(' + ')
    line(name, loaded, kb(raw), kb(gzip), kb(budget.goal * KB), kb(budget.ceiling * KB))
  }
  const largest = sizes.toSorted((a, b) => b.gzip - a.gzip)[0]
  const over = largest.gzip - largest.budget.goal * KB
  if (over > 0) {
    const core = `${kb(gzipSize(WASM))} of it WebAssembly`
    console.log(`OVER THE GOAL by ${kb(over)}: ${largest.name} is ${kb(largest.gzip)}, ${core}`)
  }
  for (const { name, files, gzip, budget } of beyond) {
    const by = kb(gzip - budget.ceiling * KB)
    console.log(`BEYOND THE CEILING by ${by}: ${name} (${files.join(' + ')})`)
  }
}

/** New processes, one after the other. */
function printStarts() {
  const child = join('benches', 'child.mjs')
  const starts = Array.from({ length: STARTS }, () =>
    execFileSync(process.execPath, [child, 'start'], { encoding: 'utf8', timeout: 30_000 })
      .split(' ')
      .map(Number),
  )
  const parts = {
    import: ([imported]) => imported,
    'first new KeyPool': ([, made]) => made,
    'first pick': ([, , picked]) => picked,
    'from the import to the first pick': ([, made, picked]) => made + picked,
    'all of it': (times) => times.reduce((sum, time) => sum + time),
  }
  console.log(`\nstart of a process, median of ${STARTS}, Node ${process.versions.node}`)
  const medians = Object.entries(parts).map(([name, part]) => [name, median(starts.map(part))])
  for (const [name, ms] of medians) console.log(`${name.padEnd(36)}${ms.toFixed(2).padStart(7)} ms`)
  const [name, ms] = medians[3]
  const verdict = ms <= FIRST_PICK_MS ? 'within the goal' : 'OVER THE GOAL'
  console.log(`${verdict} of ${FIRST_PICK_MS} ms: ${ms.toFixed(1)} ms ${name}`)
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2 // of an even count
  return (sorted[middle - 1] + sorted[middle]) / 2
}

function kb(bytes) {
  return `${(bytes / KB).toFixed(1)} KB`
}
