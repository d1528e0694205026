import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asInPath, atTop, renamed } from '../../js/gateway/alias.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const change = (text: string, naming = atTop('real')) =>
  new TextDecoder().decode(renamed(bytesOf(text), naming))

describe('the model gets its upstream name', () => {
  test.each([
    ['{"model":"m"}', '{"model":"real"}'],
    ['{ "model" : "m" , "n": 1 }', '{ "model" : "real" , "n": 1 }'],
    ['{"seed":12345678901234567890,"model":"m"}', '{"seed":12345678901234567890,"model":"real"}'],
    ['{"z":1.0,"a":1e400,"model":"m"}', '{"z":1.0,"a":1e400,"model":"real"}'],
    ['{"a":{"model":"m"},"model":"m"}', '{"a":{"model":"m"},"model":"real"}'],
    ['{"a":["model","m"],"model":"m"}', '{"a":["model","m"],"model":"real"}'],
    ['{"a":"\\"model\\":\\"m\\"","model":"m"}', '{"a":"\\"model\\":\\"m\\"","model":"real"}'],
    ['{"a":"\\\\","model":"m"}', '{"a":"\\\\","model":"real"}'],
    ['{"model":"a","model":"b"}', '{"model":"real","model":"real"}'],
    ['{"mod\\u0065l":"m"}', '{"mod\\u0065l":"real"}'],
    ['{"model":"m","ü":"Grüße 🌍"}', '{"model":"real","ü":"Grüße 🌍"}'],
    ['{"model":"m","a":{}}', '{"model":"real","a":{}}'],
    ['{"model":["m"],"x":{"y":[{"model":"m"}]}}', '{"model":["m"],"x":{"y":[{"model":"m"}]}}'],
  ])('%s', (body, expected) => {
    expect(change(body)).toBe(expected)
  })

  test('written as JSON, whatever it has in it', () => {
    expect(change('{"model":"m"}', atTop('a"b\\c'))).toBe('{"model":"a\\"b\\\\c"}')
  })

  test('and nothing else of any JSON object changes', () => {
    const objects = fc.dictionary(fc.oneof(fc.string(), fc.constant('model')), fc.jsonValue())
    fc.assert(
      fc.property(objects, fc.string(), (object, name) => {
        const text = JSON.stringify(object)
        const wanted = typeof object['model'] === 'string' ? { ...object, model: name } : object
        expect(JSON.parse(change(text, atTop(name)))).toEqual(JSON.parse(JSON.stringify(wanted)))
      }),
      { numRuns: 500 },
    )
  })

  test('the very same bytes when nothing is to be changed', () => {
    const bytes = bytesOf('{"model":"real"}')
    expect(renamed(bytes, atTop('real'))).toBe(bytes)
  })
})

describe('where Google repeats the model of the path', () => {
  const naming = asInPath('m', 'real')

  test.each([
    ['{"model":"models/m"}', '{"model":"models/real"}'],
    [
      '{"requests":[{"model":"models/m"},{"model":"m"}]}',
      '{"requests":[{"model":"models/real"},{"model":"real"}]}',
    ],
    [
      '{"generateContentRequest":{"model":"models/m"}}',
      '{"generateContentRequest":{"model":"models/real"}}',
    ],
    ['{"model":"models/other"}', '{"model":"models/other"}'],
    [
      '{"contents":[{"parts":[{"a":{"model":"m"}}]}]}',
      '{"contents":[{"parts":[{"a":{"model":"m"}}]}]}',
    ],
  ])('%s', (body, expected) => {
    expect(change(body, naming)).toBe(expected)
  })
})
