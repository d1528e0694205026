import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readBody } from '../../js/fetch/body.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (body: BodyInit | null) => new Response(body, { duplex: 'half' } as never).text()

function streamOf(...texts: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(bytes(text))
      controller.close()
    },
  })
}

describe('a body at hand', () => {
  test.each([
    ['a text', '{"a":1}'],
    ['bytes', bytes('{"a":1}')],
    ['a buffer', bytes('{"a":1}').buffer],
  ])('%s is read as JSON and can be sent again', async (_, given) => {
    const body = await readBody(given, JSON_TYPE, 0)
    expect(body).toMatchObject({ json: { a: 1 }, replayable: true, isStream: false })
    for (let time = 0; time < 2; time++) expect(await textOf(body.next())).toBe('{"a":1}')
  })

  test.each([
    ['text that is no JSON', '{"a":', JSON_TYPE],
    ['a list', '[1]', JSON_TYPE],
    ['another type', '{"a":1}', 'text/plain'],
  ])('has no facts if it is %s', async (_, text, type) => {
    const body = await readBody(text, type, 0)
    expect(body.json).toBeUndefined()
    expect(await textOf(body.next())).toBe(text)
  })

  test.each([[null], [undefined]])('that is %s stays none', async (given) => {
    const body = await readBody(given, '', 0)
    expect(body.next()).toBeNull()
    expect(body.replayable).toBe(true)
  })

  test('that is a form is encoded once, so that attempts have one boundary', async () => {
    const form = new FormData()
    form.set('file', new Blob(['hello']), 'a.txt')
    const { next, contentType } = await readBody(form, '', 0)
    const [first, second] = [await textOf(next()), await textOf(next())]
    expect(second).toBe(first)
    const [, boundary] = /boundary=(.+)$/.exec(contentType ?? '') ?? []
    expect(first).toContain(boundary)
  })
})

describe('a streamed body', () => {
  test('is sent once by default', async () => {
    const body = await readBody(streamOf('{"a":1}'), JSON_TYPE, 0)
    expect(body).toMatchObject({ replayable: false, isStream: true, json: undefined })
    expect(await textOf(body.next())).toBe('{"a":1}')
  })

  test('within the limit is kept, read as JSON and sent again', async () => {
    const body = await readBody(streamOf('{"a"', ':1}'), JSON_TYPE, 7)
    expect(body).toMatchObject({ replayable: true, isStream: false, json: { a: 1 } })
    for (let time = 0; time < 2; time++) expect(await textOf(body.next())).toBe('{"a":1}')
  })

  test('beyond the limit is sent whole, once, and not read to its end first', async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled++
          if (pulled === 20) controller.close()
          else controller.enqueue(bytes('ab'))
        },
      },
      { highWaterMark: 0 },
    )
    const body = await readBody(endless, '', 4)
    expect(body.replayable).toBe(false)
    expect(pulled).toBe(3)
    expect(await textOf(body.next())).toBe('ab'.repeat(19))
  })

  test("that is one of Node's own streams is sent once", async () => {
    const body = await readBody(Readable.from(['a']) as never, '', 0)
    expect(body).toMatchObject({ replayable: false, isStream: true })
  })
})
