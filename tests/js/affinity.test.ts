import { KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { FakeClock } from './support/clock.ts'
import { Engine } from './support/engine.ts'
import { attempt, leaseOf, PROVIDER, poolOf, rows, take } from './support/pools.ts'

/** An engine that remembers so many sessions. */
function engineOf(capacity: number): Engine {
  const clock = new FakeClock()
  return new Engine({
    credentials: { [PROVIDER]: rows('A', 'B', 'C') },
    affinity: { capacity },
    now: clock.now,
  })
}

/** How many of the sessions an engine can tell apart. */
function distinct(sessions: Iterable<string>, capacity: number): number {
  const engine = engineOf(capacity)
  for (const session of sessions) engine.pick(PROVIDER, session)
  const known = engine.core.sessions()
  engine.dispose()
  return known
}

test('the session unused for longest leaves when the capacity is reached, exactly', () => {
  const { pool } = poolOf(rows('A', 'B'), { affinity: { capacity: 3 } })
  const reason = (session: string) => take(pool, { session }).reason
  for (const session of ['1', '2', '3']) expect(reason(session)).toBe('strategy')
  expect(reason('1')).toBe('affinity')
  expect(reason('4')).toBe('strategy')
  expect(reason('3')).toBe('affinity')
  expect(reason('1')).toBe('affinity')
  expect(reason('2'), 'the one unused for longest').toBe('strategy')
  expect(reason('4')).toBe('strategy')
})

test('ten thousand sessions are remembered by default, and none with a capacity of 0', () => {
  const { pool } = poolOf(rows('A', 'B'))
  for (let session = 0; session <= 10_000; session++)
    take(pool, { session: `${session}` }).release()
  expect(take(pool, { session: '10000' }).reason).toBe('affinity')
  expect(take(pool, { session: '1' }).reason).toBe('affinity')
  expect(take(pool, { session: '0' }).reason).toBe('strategy')
  const none = poolOf(rows('A', 'B'), { affinity: { capacity: 0 } }).pool
  expect([take(none, { session: 's' }).reason, take(none, { session: 's' }).reason]).toEqual([
    'strategy',
    'strategy',
  ])
})

test('a session is forgotten some time after its last use, if that is set', () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { affinity: { ttlMs: 1_000 } })
  expect(take(pool, { session: 's' }).reason).toBe('strategy')
  for (let use = 0; use < 5; use++) {
    clock.pass(999)
    expect(take(pool, { session: 's' }).reason).toBe('affinity')
  }
  clock.pass(1_000)
  expect(take(pool, { session: 's' }).reason).toBe('strategy')
})

test('sessions that are over leave without being asked for', () => {
  const clock = new FakeClock()
  const engine = new Engine({
    credentials: { [PROVIDER]: rows('A') },
    affinity: { ttlMs: 1_000 },
    now: clock.now,
  })
  for (let session = 0; session < 100; session++) engine.pick(PROVIDER, `${session}`)
  expect(engine.core.sessions()).toBe(100)
  clock.pass(30_000)
  engine.pick(PROVIDER, 'another')
  expect(engine.core.sessions()).toBe(1)
})

test('a session is bound in each provider by itself, and released in all at once', async () => {
  const pool = new KeyPool({ credentials: { one: rows('A', 'B'), two: rows('C', 'D') } })
  take(pool, { provider: 'one' }).release()
  expect(take(pool, { provider: 'one', session: 's' }).credential.id).toBe('B')
  expect(take(pool, { provider: 'two', session: 's' }).credential.id).toBe('C')
  expect(take(pool, { provider: 'one', session: 's' }).reason).toBe('affinity')
  expect(pool.releaseSession('s')).toBe(true)
  expect(pool.releaseSession('s')).toBe(false)
  expect(take(pool, { provider: 'one', session: 's' }).reason).toBe('strategy')
  expect(take(pool, { provider: 'two', session: 's' }).reason).toBe('strategy')
})

test('the sessions of a key that fails are spread over the others', async () => {
  // Reproducer for: https://github.com/tombii/better-ccflare/issues/285
  const { pool } = poolOf(rows('A', 'B', 'C'), { policy: 'classic' })
  const onA: string[] = []
  for (let session = 0; session < 270; session++) {
    if (take(pool, { session: `${session}` }).credential.id === 'A') onA.push(`${session}`)
  }
  expect(onA).toHaveLength(90)
  await leaseOf(pool, 'A').report({ status: 429 })
  const moved = onA.map((session) => take(pool, { session }).credential.id)
  expect(moved.filter((id) => id === 'B')).toHaveLength(45)
})

test('a session whose key cannot serve this request keeps it if the request excludes it only', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  expect(take(pool, { session: 's' }).credential.id).toBe('A')
  await attempt(pool, 'A', 403)
  expect(take(pool, { session: 's' }).credential.id).toBe('A')
})

/** Ids as apps have them: each kind with a number in it. */
const KINDS: Record<string, (n: number) => string> = {
  'a number': (n) => String(n),
  'a padded number': (n) => String(n).padStart(12, '0'),
  'a chat': (n) => `chat-${n}`,
  'a user and a tab': (n) => `user_${n % 1_000}/tab_${Math.floor(n / 1_000)}`,
  'a uuid': (n) => `${hex(n * 2_654_435_761, 8)}-1d2e-4f3a-8b4c-${hex(n, 12)}`,
  'an object id': (n) => `${hex(n, 8)}5f3b2c1d0e9f8a7b`,
  '40 characters': (n) => String(n).padEnd(40, 'x'),
  '41 characters': (n) => String(n).padEnd(41, 'x'),
  'a number at the end': (n) => `${'conversation '.repeat(10)}${n}`,
}

function hex(n: number, digits: number): string {
  return n.toString(16).padStart(digits, '0').slice(-digits)
}

test('a million ids of the usual kinds are a million sessions: no two hashes are equal', {
  timeout: 60_000,
}, () => {
  const kinds = Object.values(KINDS)
  function* sessions() {
    for (let n = 0; n < 112_000; n++) for (const kind of kinds) yield kind(n)
  }
  const seen = new Set(sessions())
  expect(seen.size).toBeGreaterThan(1_000_000)
  expect(distinct(seen, 1_200_000)).toBe(seen.size)
})

test('a million ids of one kind are a million sessions', { timeout: 60_000 }, () => {
  function* sessions() {
    for (let n = 0; n < 1_000_000; n++) yield `chat-${n}`
  }
  expect(distinct(sessions(), 1_000_000)).toBe(1_000_000)
})

test('short ids of every length and letter are told apart', () => {
  const sessions = new Set<string>([''])
  for (let code = 0; code < 256; code++) {
    const letter = String.fromCharCode(code)
    for (let length = 1; length <= 50; length++) sessions.add(letter.repeat(length))
    for (let other = 0; other < 256; other++) sessions.add(letter + String.fromCharCode(other))
  }
  expect(distinct(sessions, 200_000)).toBe(sessions.size)
})

test('ids that differ in one character, around the length where the hash changes, are told apart', () => {
  const sessions = new Set<string>()
  for (let length = 36; length <= 46; length++) {
    for (let at = 0; at < length; at++) {
      for (const letter of ['\0', 'a', 'b', 'é', '中', '😀', '\u{10ffff}']) {
        sessions.add('-'.repeat(at) + letter + '-'.repeat(length - at))
      }
    }
  }
  expect(distinct(sessions, 10_000)).toBe(sessions.size)
})

test('NUL, surrogates and what looks alike are told apart, short and long', () => {
  const odd = [
    '',
    '\0',
    '\0\0',
    '\0\0\0',
    'a\0',
    '\0a',
    'a',
    'é',
    'e\u0301',
    '😀',
    '😁',
    '\ud83d',
    '\ude00',
    '\ud83d\ud83d',
    '\ude00\ud83d',
    '\uffff',
    '\ufeff',
    ' ',
    '\n',
  ]
  expect(distinct(odd, 100)).toBe(odd.length)
  const long = odd.map((text) => `${'x'.repeat(45)}${text}`)
  const wellFormed = long.filter((text) => !/\p{Surrogate}/u.test(text))
  expect(distinct(wellFormed, 100)).toBe(wellFormed.length)
})

test('the same id is the same session, however it was put together', () => {
  for (const length of [1, 39, 40, 41, 10_000]) {
    const { pool } = poolOf(rows('A', 'B', 'C'))
    const whole = 'é'.repeat(length)
    const parts = Array.from({ length }, () => 'é').join('')
    take(pool, { session: whole })
    take(pool)
    expect(take(pool, { session: parts }).reason).toBe('affinity')
  }
})

test('sessions of 10 KB each need memory for the capacity alone', {
  timeout: 60_000,
}, () => {
  // Reproducer for: https://github.com/icebear0828/codex-proxy/issues/577
  const engine = engineOf(10_000)
  const prompt = 'You are a helpful assistant. '.repeat(345)
  const bound = (from: number, to: number) => {
    for (let n = from; n < to; n++) engine.pick(PROVIDER, `${prompt}${n}`)
  }
  bound(0, 20_000)
  globalThis.gc?.()
  const before = process.memoryUsage()
  bound(20_000, 100_000)
  expect(engine.core.sessions()).toBe(10_000)
  globalThis.gc?.()
  const after = process.memoryUsage()
  expect(after.arrayBuffers + after.external).toBeLessThan(
    before.arrayBuffers + before.external + 4_000_000,
  )
  expect(after.rss - before.rss).toBeLessThan(200_000_000)
  engine.dispose()
})
