/**
 * The app's callbacks for what became of a credential, called one at a time for each.
 * @module
 */

import { messageOf } from './errors.js'
import type { Listeners } from './events.js'
import type { KeyPoolOptions } from './option-types.js'
import type { Provider } from './provider.js'
import { cleaned } from './secrets.js'
import type { VerdictClass } from './types.js'
import type { Core } from './wasm/core.js'

/** What they are called for. */
export interface Owner {
  readonly core: Core
  readonly listeners: Listeners
  readonly disposed: boolean
  /** Called when something changed that may help those who wait. */
  readonly wake: (provider?: Provider) => void
  invalidate(provider: string): void
}

/** Asks the app for a new secret in place of one that was refused. */
export function askForSecret(
  owner: Owner,
  refresh: KeyPoolOptions['refresh'],
  provider: Provider,
  number: number,
): void {
  const { core, listeners } = owner
  const credential = provider.credentials[number]
  if (credential === undefined) return
  const about = { provider: provider.name, credential: credential.id }
  const settle = (hasNew: boolean) => {
    if (!owner.disposed) core.refreshed(provider.index, number, hasNew)
    owner.wake()
  }
  const fail = (message: string) => {
    if (!owner.disposed) listeners.emit('refresh_failed', { ...about, message })
    return settle(false)
  }
  if (refresh === undefined) {
    settle(false)
    return
  }
  const call = async () => refresh(credential.id)
  const settled = call()
    .then(
      (answer) => {
        if (owner.disposed) return
        const result = cleaned(answer)
        if ('rule' in result) return fail(`refresh answered no secret: it ${result.rule}`)
        provider.secrets[number] = result.secret
        if (provider.inline) provider.renewed.set(credential.id, result.secret)
        listeners.emit('refreshed', about)
        return settle(true)
      },
      () => fail('refresh failed'),
    )
    .finally(() => provider.refreshing.delete(number))
  provider.refreshing.set(number, settled)
}

/** Asks the app's storage to keep a credential disabled. */
export function keepDisabled(
  owner: Owner,
  disable: KeyPoolOptions['disable'],
  provider: Provider,
  number: number,
  why: VerdictClass,
): void {
  const credential = provider.credentials[number]
  if (disable === undefined || credential === undefined) return
  if (provider.isFallback || provider.disabling.has(number) || provider.stored.has(number)) return
  const fail = (message: string) => {
    if (owner.disposed) return
    const about = { provider: provider.name, credential: credential.id }
    owner.listeners.emit('disable_failed', { ...about, message })
  }
  const settle = (answer: unknown) => {
    if (owner.disposed) return
    if (answer !== true) return fail('disable did not answer true')
    // Rows of the options never change, so there is no later load to believe.
    if (provider.inline) {
      provider.stored.add(number)
      return
    }
    owner.core.confirmDisabled(provider.index, number)
    owner.invalidate(provider.name)
  }
  const call = async () => disable(credential.id, { provider: provider.name, class: why })
  const settled = call()
    .then(settle, (error: unknown) => fail(`disable failed: ${messageOf(error)}`))
    .finally(() => provider.disabling.delete(number))
  provider.disabling.set(number, settled)
}
