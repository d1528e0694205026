// The rival of the router: what an app would write by hand. Every choice walks over all groups and all
// credentials. It is given every advantage: no promises, no leases, no classifier, secrets at hand.

/** A class, since objects that a spread made are walked over a hundred times slower from 1,000 on. */
class Standing {
  current = 0 // of the smooth choice
  until = 0 // rests as a whole
  modelUntil = undefined // model -> rests for it

  constructor({ id, secret, enabled, weight }, groupWeight) {
    this.id = id
    this.secret = secret
    this.enabled = enabled
    this.share = weight * groupWeight
  }
}

export class ScanningRouter {
  #groups
  #byId = new Map() // credential -> { group, credential }
  #sessions = new Map() // session -> credential id
  #highest

  constructor(groups) {
    this.#groups = groups.map((group) => ({
      ...group,
      models: group.models && new Set(group.models),
      credentials: group.credentials.map((one) => new Standing(one, group.weight)),
    }))
    this.#highest = Math.max(...groups.map(({ priority }) => priority))
    for (const group of this.#groups) {
      for (const credential of group.credentials)
        this.#byId.set(credential.id, { group, credential })
    }
  }

  /** The credential of the session if it can serve, else a smooth weighted choice in the highest tier. */
  choose(protocol, model, session) {
    const now = Date.now()
    const bound = session === undefined ? undefined : this.#byId.get(this.#sessions.get(session))
    // Nobody ranks above it, so nobody else need be looked at.
    if (bound !== undefined && bound.group.priority === this.#highest) {
      if (serves(bound.group, protocol, model) && isFree(bound.credential, model, now)) {
        return bound.credential
      }
    }
    let tier = Number.NEGATIVE_INFINITY
    for (const group of this.#groups) {
      if (group.priority <= tier || !serves(group, protocol, model)) continue
      if (group.credentials.some((one) => isFree(one, model, now))) tier = group.priority
    }
    let total = 0
    let best
    for (const group of this.#groups) {
      if (group.priority !== tier || !serves(group, protocol, model)) continue
      for (const credential of group.credentials) {
        if (!isFree(credential, model, now)) continue
        total += credential.share
        credential.current += credential.share
        if (best === undefined || credential.current > best.current) best = credential
      }
    }
    if (best !== undefined) best.current -= total
    return best
  }

  succeed(credential, session) {
    credential.until = 0
    if (session !== undefined) this.#sessions.set(session, credential.id)
  }

  /** It rests, for one model or as a whole. */
  fail(credential, ms, model) {
    const until = Date.now() + ms
    if (model === undefined) credential.until = until
    else credential.modelUntil = (credential.modelUntil ?? new Map()).set(model, until)
  }
}

function serves({ enabled, protocols, models }, protocol, model) {
  return enabled && protocols.includes(protocol) && (models === undefined || models.has(model))
}

function isFree({ enabled, until, modelUntil }, model, now) {
  return enabled && until <= now && (modelUntil === undefined || !(modelUntil.get(model) > now))
}
