// Numbers and tables as text.

/** @param {number} ns */
export function time(ns) {
  if (ns < 999.5) return `${ns.toPrecision(3)} ns`
  if (ns < 999.5e3) return `${(ns / 1e3).toPrecision(3)} µs`
  return `${(ns / 1e6).toPrecision(3)} ms`
}

/** How many times faster ours is; below 1 it is slower. */
export function ratio(theirs, ours) {
  const times = theirs / ours
  return `x${times < 10 ? times.toFixed(2) : Math.round(times).toLocaleString('en')}`
}

/**
 * @typedef {object} Group columns that belong together
 * @property {string} name stands above them
 * @property {string[]} columns
 */

/**
 * @param {string} title
 * @param {Group[]} groups
 * @param {(string | number)[][]} lines
 */
export function table(title, groups, lines) {
  const head = groups.flatMap(({ columns }) => columns)
  const cells = [head, ...lines].map((line) =>
    line.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  )
  const widths = head.map((_, at) => Math.max(...cells.map((line) => line[at].length)))
  let first = 0
  const names = groups.map(({ name, columns }) => {
    const own = widths.slice(first, first + columns.length)
    const width = own.reduce((sum, each) => sum + each + 2, -2)
    widths[first] += Math.max(name.length - width, 0)
    first += columns.length
    return name.padStart(Math.max(name.length, width))
  })
  console.log(`\n${title}\n`)
  if (names.some((name) => name.trim() !== '')) console.log(`  ${names.join('  ')}`)
  for (const [at, line] of cells.entries()) {
    console.log(`  ${line.map((cell, column) => cell.padStart(widths[column])).join('  ')}`)
    if (at === 0) console.log(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`)
  }
}
