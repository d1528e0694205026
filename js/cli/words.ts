/**
 * A verdict in words.
 * @module
 */

import type { Evidence, Verdict, VerdictClass, VerdictScope } from '../types.js'

const MEANING: Readonly<Record<VerdictClass, string>> = {
  ok: 'the attempt succeeded',
  rate_limited: 'too many requests for now',
  overloaded: 'the provider is too busy, whoever asks',
  quota_exhausted: 'the quota or the balance is used up',
  auth_failed: 'the secret was refused',
  model_denied: 'the credential may not use this model or feature',
  client_error: 'the request itself is wrong',
  over_key_limit: 'this one request is greater than what the credential is ever allowed',
  server_error: 'the provider failed',
  egress_blocked: 'something between the app and the provider refused',
  unknown_outcome: 'the request was sent, and what became of it is unknown',
  client_aborted: 'the caller gave up',
}

const ABOUT: Readonly<Record<VerdictScope, string>> = {
  none: 'nothing',
  request: 'this request alone',
  credential: 'the credential',
  model: 'the credential for this model',
  account: 'every credential of the account',
  provider: 'the provider as a whole',
  egress: 'the way to the provider',
}

const RESTS_ON: Readonly<Record<Evidence, string>> = {
  code: 'a structured code',
  sentence: 'a known sentence in an error field',
  html: 'a page in place of an answer',
  status: 'the status alone',
}

/** The verdict, line by line: what it is, what it is about, how long, and what to do. */
export function inWords(verdict: Verdict, model?: string): string {
  const { class: kind, scope, waitMs, waitFrom, evidence, disable, retryOther } = verdict
  const about =
    scope === 'model' && model !== undefined ? `the credential for ${model}` : ABOUT[scope]
  const lines = [
    ['class', kind, MEANING[kind]],
    ['scope', scope, about],
    ['evidence', evidence, RESTS_ON[evidence]],
    ['wait', waitMs === null ? 'none stated' : `${seconds(waitMs)} s`, waitFrom ?? ''],
    ['key', disable ? 'dead' : 'alive', disable ? 'disable it' : ''],
    ['other key', retryOther ? 'may help' : 'does not help', ''],
  ]
  return lines
    .map(([name = '', value = '', why]) => {
      const told = `${name.padEnd(10)} ${value}`
      return why === '' ? told : `${told.padEnd(28)} ${why}`
    })
    .join('\n')
}

function seconds(ms: number): string {
  return (ms / 1_000).toString()
}
