/**
 * Tells the log what becomes of credentials, in requests and outside of them.
 * @module
 */

import type { KeyPoolEvents, Router } from 'keyrota'
import type { CredentialChange, CredentialEvent, GatewayEvent } from './events.js'
import { shownModel } from './log.js'

/** What an event says beside whom it is about. */
type Facts = Partial<Pick<CredentialEvent, 'class' | 'scope' | 'model' | 'until' | 'message'>>

const rest = (event: KeyPoolEvents['cooldown']): Facts => {
  return { class: event.class, scope: event.scope, model: event.model, until: event.until }
}
const verdict = (event: KeyPoolEvents['disabled']): Facts => ({ class: event.class })
const nothing = (): Facts => ({})

/** What each of them says. */
const FACTS: { readonly [Name in CredentialChange]: (event: KeyPoolEvents[Name]) => Facts } = {
  cooldown: rest,
  paused: rest,
  recovered: nothing,
  disabled: verdict,
  blacklisted: verdict,
  enabled: nothing,
  lease_expired: nothing,
  invalid_credential: ({ field, rule }) => ({ message: `${field} ${rule}` }),
  secret_unresolved: ({ message }) => ({ message }),
}

/** Tells of every change from now on. */
export function tellChanges(router: Router, tell: (event: GatewayEvent) => void): void {
  for (const name of Object.keys(FACTS) as CredentialChange[]) tellOf(name, router, tell)
}

function tellOf<Name extends CredentialChange>(
  change: Name,
  router: Router,
  tell: (event: GatewayEvent) => void,
): void {
  router.on(change, (event) => {
    const { provider: group, credential } = event
    const none = { class: null, scope: null, until: null, message: null }
    const { model, ...facts } = FACTS[change](event)
    const about = { change, group, credential }
    tell({ type: 'credential', ...about, ...none, ...facts, model: shownModel(model) })
  })
}
