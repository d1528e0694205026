/**
 * Reads answers as people have them at hand: what `curl -i` printed, or a file of headers.
 * @module
 */

/** An answer, as far as the text had it. */
export interface Dump {
  status?: number
  headers?: [string, string][]
  body?: string
}

const STATUS_LINE = /^HTTP\/[\d.]+ +(\d{3})\b.*$/

/**
 * Reads what `curl -i` printed. Of several answers, as after a redirect or through a proxy, the last one
 * counts; a text without any is a body.
 */
export function readDump(text: string): Dump {
  let dump: Dump = { body: text }
  let rest = text
  for (;;) {
    const [line = ''] = rest.split(/\r?\n/, 1)
    const status = STATUS_LINE.exec(line)?.[1]
    if (status === undefined) return dump
    const end = /\r?\n\r?\n/.exec(rest)
    const head = end === null ? rest : rest.slice(0, end.index)
    rest = end === null ? '' : rest.slice(end.index + end[0].length)
    const headers = readHeaders(head.slice(line.length))
    dump = { status: Number(status), headers, body: rest }
  }
}

/** Headers from lines of `name: value`. */
export function readHeaders(text: string): [string, string][] {
  const lines = text.split(/\r?\n/).map((line) => /^([^\s:]+):\s*(.*?)\s*$/.exec(line))
  return lines.flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? '']]))
}
