"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: !0 });
}, __copyProps = (to, from, except, desc) => {
  if (from && typeof from == "object" || typeof from == "function")
    for (let key of __getOwnPropNames(from))
      !__hasOwnProp.call(to, key) && key !== except && __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: !0 }), mod);

// js/service.ts
var service_exports = {};
__export(service_exports, {
  ApiKeyPoolService: () => ApiKeyPoolService
});
module.exports = __toCommonJS(service_exports);
var import_keyrota = require("keyrota"), SWEEP_MS = 3e4, ApiKeyPoolService = class {
  #engine;
  #interval;
  /** @throws `KeyrotaError` of code `invalid_option`, which names the option that is none */
  constructor(options) {
    checkCallbacks(options);
    let { loadKeys, disableKey, resolveKey, now, log, cooldown } = options;
    this.#engine = new import_keyrota.Engine({
      policy: "classic",
      load: async (providerId) => rows(await loadKeys(providerId)),
      disable: (keyId, _why) => disableKey(keyId),
      ...resolveKey && { resolveSecret: resolveKey },
      ...now && { now },
      ...cooldown && { cooldown }
    }), log !== void 0 && this.#logTo(log);
  }
  /** A key of the provider, without a session; `''` when none is available. */
  async getKey(providerId) {
    return this.#get(providerId, void 0);
  }
  /** The session's key, or a new one when that cannot serve; `''` when none is available. */
  async getKeyForSession(providerId, sessionId) {
    return this.#get(providerId, sessionId);
  }
  /**
   * Applies a failure to the key that the session is on, and answers another key to try; `null` when
   * there is none, when the session is on no key, or when the status says nothing about keys.
   */
  async reportError(providerId, sessionId, status) {
    return !Number.isInteger(status) || status < 100 || status > 599 || !this.#engine.reportSession(providerId, sessionId, status) ? null : (await this.#engine.disablesSettled(providerId), await this.#get(providerId, sessionId) || null);
  }
  /** Ends the cooldown level of the key that the session got last. */
  reportSuccess(sessionId) {
    this.#engine.succeedSession(sessionId);
  }
  /** Forgets the session. */
  releaseSession(sessionId) {
    this.#engine.releaseSession(sessionId);
  }
  /** Drops the cached rows of one provider, or of all: the next call loads anew. */
  invalidateCache(providerId) {
    this.#engine.invalidate(providerId ?? void 0);
  }
  /** Drops what is forgotten, and repeats writes that were not confirmed. */
  cleanupExpiredCooldowns() {
    this.#engine.timed(() => this.#engine.core.sweep());
  }
  /** Stops the interval and frees the memory. */
  dispose() {
    clearInterval(this.#interval), this.#engine.dispose();
  }
  async #get(providerId, sessionId) {
    let engine = this.#engine, provider = engine.provider(providerId);
    return this.#sweepFromNow(), await engine.loaded(provider), engine.pick(providerId, sessionId) ?? "";
  }
  /** The documented sweep: every 30 s from the first use, without keeping the process alive. */
  #sweepFromNow() {
    if (this.#interval !== void 0) return;
    this.#interval = setInterval(() => this.#sweep(), SWEEP_MS), this.#interval.unref?.();
  }
  /** What is wrong with the clock is told to the next caller: thrown here, it would end the process. */
  #sweep() {
    try {
      this.cleanupExpiredCooldowns();
    } catch {
    }
  }
  #logTo(log) {
    let { core, listeners } = this.#engine;
    core.listen(!0), listeners.add("cooldown", ({ provider, credential, until, level }) => {
      log(
        `key ${credential} of ${provider} cools until ${new Date(until).toISOString()} (level ${level})`
      );
    }), listeners.add("disabled", ({ provider, credential }) => {
      log(`key ${credential} of ${provider} was refused and is disabled`);
    }), listeners.add("disable_failed", ({ provider, credential, message }) => {
      log(`key ${credential} of ${provider} is off, but not in the storage: ${message}`);
    }), listeners.add("invalid_credential", ({ provider, credential, field, rule }) => {
      log(`key ${credential} of ${provider} is passed over: ${field} ${rule}`);
    }), listeners.add("secret_unresolved", ({ provider, credential, message }) => {
      log(`key ${credential} of ${provider} is passed over: ${message}`);
    });
  }
};
function checkCallbacks(options) {
  let { loadKeys, disableKey, resolveKey, now, log } = options ?? {}, rule = "must be a function";
  for (let [path, value] of Object.entries({ loadKeys, disableKey, resolveKey, now, log }))
    if (!(typeof value == "function" || path !== "loadKeys" && path !== "disableKey" && value === void 0))
      throw new import_keyrota.KeyrotaError("invalid_option", `${path} ${rule}`, { path, rule });
}
function rows(entries) {
  return Array.isArray(entries) ? entries.map((entry) => {
    if (typeof entry != "object" || entry === null) return entry;
    let { id, label, apiKey, enabled, weight } = entry;
    return { id, label, secret: apiKey, enabled, weight };
  }) : entries;
}
0&&(module.exports={ApiKeyPoolService})
