// What the example prints. Colour only where a person looks on.

const colourful = process.stdout.isTTY && !process.env.NO_COLOR
const colour = (code) => (text) => (colourful ? `\x1b[${code}m${text}\x1b[0m` : text)
const [dim, red, green, yellow, cyan] = [2, 31, 32, 33, 36].map(colour)

const REASONS = {
  strategy: 'chosen by weight',
  affinity: 'the chat stays on its key',
  rebound: 'the chat moved here',
  lodging: 'the chat stays here while its key rests',
}

export function heading(text) {
  console.log(`\n${text}\n`)
}

/** One attempt: when, which request of which chat, by which key, how it ended, and why that key. */
export function attempt({ now, number, chat, key, status, reason, count }) {
  const paint = status === 200 ? green : status === 429 ? yellow : red
  const why = count > 1 && reason === 'strategy' ? 'the same request, another key' : REASONS[reason]
  const place = [time(now), String(number).padStart(2), chat.padEnd(3), key.padEnd(5)]
  console.log([...place, paint(status), dim(why)].join('  '))
}

/** What happened to a key, beneath the attempt that it happened in. */
export function event(key, text) {
  console.log(`${''.padEnd(15)}${cyan('>')} ${key.padEnd(5)}  ${text}`)
}

/** Rows of the same fields: numbers to the right, texts to the left. */
export function table(rows) {
  const columns = Object.keys(rows[0]).map((name) => {
    const cells = [name, ...rows.map((row) => row[name])]
    const width = Math.max(...cells.map((cell) => String(cell).length))
    const pad = typeof cells[1] === 'number' ? 'padStart' : 'padEnd'
    return cells.map((cell) => String(cell)[pad](width))
  })
  const [head, ...body] = columns[0].map((_, at) => columns.map((cells) => cells[at]).join('  '))
  console.log(dim(head.trimEnd()))
  for (const line of body) console.log(line.trimEnd())
}

export function time(ms) {
  return new Date(ms).toISOString().slice(11, 19)
}
