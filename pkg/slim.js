var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: !0 });
};

// js/wasm/utf8.ts
var platform = globalThis, Utf8Decoder = class {
  decode(bytes = new Uint8Array()) {
    let escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`);
    return decodeURIComponent(escaped.join(""));
  }
}, Utf8Encoder = class {
  encode(text4) {
    let units = encodeURIComponent(text4.replaceAll(/\p{Surrogate}/gu, "�")).match(/%..|./g) ?? [];
    return Uint8Array.from(
      units,
      (unit) => unit.length === 1 ? unit.charCodeAt(0) : Number.parseInt(unit.slice(1), 16)
    );
  }
}, TextDecoder = platform.TextDecoder ?? Utf8Decoder, TextEncoder = platform.TextEncoder ?? Utf8Encoder;

// target/pkg/core_bg.js
var core_bg_exports = {};
__export(core_bg_exports, {
  Core: () => Core,
  Plan: () => Plan,
  __wbg_Error_208446807d0d1e30: () => __wbg_Error_208446807d0d1e30,
  __wbg___wbindgen_boolean_get_4f1baf9a00be3c74: () => __wbg___wbindgen_boolean_get_4f1baf9a00be3c74,
  __wbg___wbindgen_is_null_c22311b1cc228e3a: () => __wbg___wbindgen_is_null_c22311b1cc228e3a,
  __wbg___wbindgen_is_object_8b968c3ab8e96595: () => __wbg___wbindgen_is_object_8b968c3ab8e96595,
  __wbg___wbindgen_is_string_fc456fee5d3317de: () => __wbg___wbindgen_is_string_fc456fee5d3317de,
  __wbg___wbindgen_is_undefined_be5b34249ff1fc15: () => __wbg___wbindgen_is_undefined_be5b34249ff1fc15,
  __wbg___wbindgen_number_get_934b640d0889af78: () => __wbg___wbindgen_number_get_934b640d0889af78,
  __wbg___wbindgen_string_get_7ce8eee7fd327545: () => __wbg___wbindgen_string_get_7ce8eee7fd327545,
  __wbg___wbindgen_throw_4c88d8bf264fd984: () => __wbg___wbindgen_throw_4c88d8bf264fd984,
  __wbg_disable_a9bfd2af370c7684: () => __wbg_disable_a9bfd2af370c7684,
  __wbg_emit_c352b2ca732ce196: () => __wbg_emit_c352b2ca732ce196,
  __wbg_entries_7bb1459bd9b5c2b9: () => __wbg_entries_7bb1459bd9b5c2b9,
  __wbg_getRandomValues_8b6f1f663e6f188d: () => __wbg_getRandomValues_8b6f1f663e6f188d,
  __wbg_get_d7176cfb76d71114: () => __wbg_get_d7176cfb76d71114,
  __wbg_get_unchecked_e6325ad374eff861: () => __wbg_get_unchecked_e6325ad374eff861,
  __wbg_isArray_bcf1376d0d732d08: () => __wbg_isArray_bcf1376d0d732d08,
  __wbg_length_b03a0fabb109b1e9: () => __wbg_length_b03a0fabb109b1e9,
  __wbg_new_37eb45aaf5eeb820: () => __wbg_new_37eb45aaf5eeb820,
  __wbg_new_7075786089b89c5e: () => __wbg_new_7075786089b89c5e,
  __wbg_new_cd4348290afae586: () => __wbg_new_cd4348290afae586,
  __wbg_new_from_slice_e0c60a796e12bb7c: () => __wbg_new_from_slice_e0c60a796e12bb7c,
  __wbg_now_f68ef1967097c251: () => __wbg_now_f68ef1967097c251,
  __wbg_refresh_b763c49bfdbfc8af: () => __wbg_refresh_b763c49bfdbfc8af,
  __wbg_set_8282f7e0d2d01336: () => __wbg_set_8282f7e0d2d01336,
  __wbg_set_d2d33b52458e984a: () => __wbg_set_d2d33b52458e984a,
  __wbg_set_e4b9a833d288759a: () => __wbg_set_e4b9a833d288759a,
  __wbg_set_wasm: () => __wbg_set_wasm,
  __wbg_validate_4012d6f2d3310dfd: () => __wbg_validate_4012d6f2d3310dfd,
  __wbindgen_generic_0000000000000001: () => __wbindgen_generic_0000000000000001,
  __wbindgen_generic_0000000000000002: () => __wbindgen_generic_0000000000000002,
  __wbindgen_generic_0000000000000003: () => __wbindgen_generic_0000000000000003,
  __wbindgen_init_externref_table: () => __wbindgen_init_externref_table,
  classify: () => classify,
  hashHigh: () => hashHigh,
  hashLow: () => hashLow,
  knowsDialect: () => knowsDialect
});
var Core = class {
  __destroy_into_raw() {
    let ptr = this.__wbg_ptr;
    return this.__wbg_ptr = 0, CoreFinalization.unregister(this), ptr;
  }
  free() {
    let ptr = this.__destroy_into_raw();
    wasm.__wbg_core_free(ptr, 0);
  }
  /**
   * As `acquireFiltered`, for the credential that the caller's own strategy chose.
   * @param {number} provider
   * @param {number} credential
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {number}
   */
  acquireChosen(provider, credential, model, numbers2) {
    let val3 = +provider, val4 = +credential, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    return wasm.core_acquireChosen(this.__wbg_ptr, val3, val4, ptr0, len0, ptr1, len1);
  }
  /**
   * As `acquire`, for a request that asks for more: see [`convert::request`] for its numbers.
   * @param {number} provider
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {number}
   */
  acquireFiltered(provider, model, numbers2) {
    let val3 = +provider, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    return wasm.core_acquireFiltered(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
  }
  /**
   * Leases that very credential, whatever is known of it.
   * @param {number} provider
   * @param {number} credential
   * @returns {number}
   */
  acquireProbe(provider, credential) {
    return wasm.core_acquireProbe(this.__wbg_ptr, provider, credential);
  }
  /**
   * Leases a credential of a group for the next attempt of a request by its plan; a negative number is
   * a refusal. The numbers are those of [`convert::request`], without what the plan says.
   * @param {Plan} plan
   * @param {number} access_key
   * @param {number} protocol
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {number}
   */
  acquireRouted(plan, access_key, protocol, model, numbers2) {
    _assertClass(plan, Plan);
    let val3 = +access_key, val4 = +protocol, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    return wasm.core_acquireRouted(this.__wbg_ptr, plan.__wbg_ptr, val3, val4, ptr0, len0, ptr1, len1);
  }
  /**
   * Leases a credential; a negative number is a refusal.
   * @param {number} provider
   * @param {number} low
   * @param {number} high
   * @returns {number}
   */
  acquire(provider, low2, high2) {
    return wasm.core_acquire(this.__wbg_ptr, provider, low2, high2);
  }
  /**
   * Whether somebody could have served at the last refusal, were it not for a cap.
   * @returns {boolean}
   */
  atCapacity() {
    return wasm.core_atCapacity(this.__wbg_ptr) !== 0;
  }
  /**
   * Who could serve the request now.
   * @param {number} provider
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {Uint32Array}
   */
  candidates(provider, model, numbers2) {
    let val3 = +provider, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    let ret = wasm.core_candidates(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
    if (ret[3])
      throw takeFromExternrefTable0(ret[2]);
    var v4 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
    return wasm.__wbindgen_free(ret[0], ret[1] * 4, 4), v4;
  }
  /**
   * Says whether a snapshot can be restored, and changes nothing.
   * @param {any} snapshot
   */
  checkSnapshot(snapshot) {
    let ret = wasm.core_checkSnapshot(this.__wbg_ptr, snapshot);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Gives a provider other options from now on.
   * @param {number} provider
   * @param {any} options
   */
  configure(provider, options) {
    let ret = wasm.core_configure(this.__wbg_ptr, provider, options);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Takes in that the app's storage keeps the credential disabled.
   * @param {number} provider
   * @param {number} credential
   */
  confirmDisabled(provider, credential) {
    wasm.core_confirmDisabled(this.__wbg_ptr, provider, credential);
  }
  /**
   * Brings a disabled credential back.
   * @param {number} provider
   * @param {number} credential
   * @returns {boolean}
   */
  enable(provider, credential) {
    let ret = wasm.core_enable(this.__wbg_ptr, provider, credential);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0] !== 0;
  }
  /**
   * Why each credential is chosen or passed over.
   * @param {number} provider
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {any}
   */
  explain(provider, model, numbers2) {
    let val3 = +provider, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    let ret = wasm.core_explain(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return takeFromExternrefTable0(ret[0]);
  }
  /**
   * Where the credential of that id is: its provider and its number there; undefined when unknown.
   * @param {string} id
   * @returns {Int32Array | undefined}
   */
  find(id) {
    let ptr0 = passStringToWasm0(id, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN;
    return wasm.core_find(this.__wbg_ptr, ptr0, len0);
  }
  /**
   * The generation of a provider's rows.
   * @param {number} provider
   * @returns {number}
   */
  generation(provider) {
    return wasm.core_generation(this.__wbg_ptr, provider) >>> 0;
  }
  /**
   * The credential of the last lease times 8, plus the reason of the choice.
   * @returns {number}
   */
  granted() {
    return wasm.core_granted(this.__wbg_ptr) >>> 0;
  }
  /**
   * The credential that the session is on and that could serve the request now, or -1.
   * @param {number} provider
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {number}
   */
  home(provider, model, numbers2) {
    let val3 = +provider, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    let ret = wasm.core_home(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0];
  }
  /**
   * Why a request would get what it would get.
   * @param {number} access_key
   * @param {number} protocol
   * @param {string | null | undefined} model
   * @param {Uint32Array | number[]} numbers
   * @returns {any}
   */
  inspect(access_key, protocol, model, numbers2) {
    let val3 = +access_key, val4 = +protocol, ptr0, len0, ptr1, len1;
    try {
      ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len1 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr1 && wasm.__wbindgen_free(ptr1, len1 * 4, 4), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    let ret = wasm.core_inspect(this.__wbg_ptr, val3, val4, ptr0, len0, ptr1, len1);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return takeFromExternrefTable0(ret[0]);
  }
  /**
   * Forgets that a provider's rows are loaded.
   * @param {number} provider
   */
  invalidate(provider) {
    wasm.core_invalidate(this.__wbg_ptr, provider);
  }
  /**
   * Whether a provider's rows are loaded.
   * @param {number} provider
   * @returns {boolean}
   */
  isLoaded(provider) {
    return wasm.core_isLoaded(this.__wbg_ptr, provider) !== 0;
  }
  /**
   * Takes in that a request was served with success by that credential, whose session had been `seen`.
   * @param {number} low
   * @param {number} high
   * @param {Uint32Array | number[]} seen
   * @param {number} provider
   * @param {number} credential
   */
  learn(low2, high2, seen, provider, credential) {
    let val2 = +low2, val3 = +high2, val4 = +provider, val5 = +credential, ptr0 = passArray32ToWasm0(seen, wasm.__wbindgen_malloc), len0 = WASM_VECTOR_LEN, ret = wasm.core_learn(this.__wbg_ptr, val2, val3, ptr0, len0, val4, val5);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Whether events should be told to the host.
   * @param {boolean} listening
   */
  listen(listening) {
    wasm.core_listen(this.__wbg_ptr, listening);
  }
  /**
   * Takes in a provider's rows; undefined when they were asked for before an invalidation.
   * @param {number} provider
   * @param {number} generation
   * @param {Array<any>} rows
   * @returns {any}
   */
  load(provider, generation, rows) {
    let ret = wasm.core_load(this.__wbg_ptr, provider, generation, rows);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return takeFromExternrefTable0(ret[0]);
  }
  /**
   * Whether the model of a request makes a difference: when not, it need not be told.
   * @param {number} provider
   * @returns {boolean}
   */
  mindsModels(provider) {
    return wasm.core_mindsModels(this.__wbg_ptr, provider) !== 0;
  }
  /**
   * A pool without providers.
   * @param {any} host
   * @param {any} options
   */
  constructor(host, options) {
    let ret = wasm.core_new(host, options);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return this.__wbg_ptr = ret[0], CoreFinalization.register(this, this.__wbg_ptr, this), this;
  }
  /**
   * How long until the lease that began first ends by itself, in milliseconds; -1 when there is none.
   * @returns {number}
   */
  nextExpiry() {
    return wasm.core_nextExpiry(this.__wbg_ptr);
  }
  /**
   * Chooses a credential without a lease; a negative number is a refusal.
   * @param {number} provider
   * @param {number} low
   * @param {number} high
   * @returns {number}
   */
  pick(provider, low2, high2) {
    return wasm.core_pick(this.__wbg_ptr, provider, low2, high2);
  }
  /**
   * Tells a plan who makes the attempt that it planned: the credential that the request with these
   * numbers has just got.
   * @param {Plan} plan
   * @param {number} provider
   * @param {number} credential
   * @param {Uint32Array | number[]} numbers
   */
  place(plan, provider, credential, numbers2) {
    _assertClass(plan, Plan);
    let val2 = +provider, val3 = +credential, ptr0 = passArray32ToWasm0(numbers2, wasm.__wbindgen_malloc), len0 = WASM_VECTOR_LEN;
    wasm.core_place(this.__wbg_ptr, plan.__wbg_ptr, val2, val3, ptr0, len0);
  }
  /**
   * The number of a provider; its own options count at the first mention.
   * @param {string} name
   * @param {any} options
   * @returns {number}
   */
  provider(name, options) {
    let ptr0 = passStringToWasm0(name, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ret = wasm.core_provider(this.__wbg_ptr, ptr0, len0, options);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0] >>> 0;
  }
  /**
   * Ends the rests of a credential that its quota caused.
   * @param {number} provider
   * @param {number} credential
   * @returns {boolean}
   */
  recoverQuota(provider, credential) {
    let ret = wasm.core_recoverQuota(this.__wbg_ptr, provider, credential);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0] !== 0;
  }
  /**
   * Brings a credential back by a person's word, whatever a verdict or the blacklist says of it.
   * @param {number} provider
   * @param {number} credential
   * @returns {boolean}
   */
  recover(provider, credential) {
    let ret = wasm.core_recover(this.__wbg_ptr, provider, credential);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0] !== 0;
  }
  /**
   * Takes in whether there is a new secret for a credential whose old one was refused.
   * @param {number} provider
   * @param {number} credential
   * @param {boolean} has_new
   */
  refreshed(provider, credential, has_new) {
    let ret = wasm.core_refreshed(this.__wbg_ptr, provider, credential, has_new);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Forgets which credentials the session was on.
   * @param {number} low
   * @param {number} high
   * @returns {boolean}
   */
  releaseSession(low2, high2) {
    return wasm.core_releaseSession(this.__wbg_ptr, low2, high2) !== 0;
  }
  /**
   * Ends a lease without a verdict.
   * @param {number} lease
   */
  release(lease) {
    wasm.core_release(this.__wbg_ptr, lease);
  }
  /**
   * Remembers that a credential made a response.
   * @param {number} provider
   * @param {number} low
   * @param {number} high
   * @param {number} credential
   */
  remember(provider, low2, high2, credential) {
    let ret = wasm.core_remember(this.__wbg_ptr, provider, low2, high2, credential);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Applies a status to the credential that the session is on; answers whether it is on one.
   * @param {number} provider
   * @param {number} low
   * @param {number} high
   * @param {number} status
   * @returns {boolean}
   */
  reportSession(provider, low2, high2, status) {
    let ret = wasm.core_reportSession(this.__wbg_ptr, provider, low2, high2, status);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0] !== 0;
  }
  /**
   * Ends a lease with what came back, and answers what that means, also when the lease had ended.
   * @param {number} lease
   * @param {number} provider
   * @param {any} outcome
   * @returns {any}
   */
  report(lease, provider, outcome) {
    let ret = wasm.core_report(this.__wbg_ptr, lease, provider, outcome);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return takeFromExternrefTable0(ret[0]);
  }
  /**
   * Ends every rest of a credential.
   * @param {number} provider
   * @param {number} credential
   * @returns {boolean}
   */
  reset(provider, credential) {
    let ret = wasm.core_reset(this.__wbg_ptr, provider, credential);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return ret[0] !== 0;
  }
  /**
   * Goes on from a snapshot.
   * @param {any} snapshot
   */
  restore(snapshot) {
    let ret = wasm.core_restore(this.__wbg_ptr, snapshot);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * The wait of the last refusal in milliseconds, or -1 when time does not help.
   * @returns {number}
   */
  retryAfter() {
    return wasm.core_retryAfter(this.__wbg_ptr);
  }
  /**
   * Makes the pool a router, with settings that the TypeScript side has checked.
   * @param {any} options
   */
  route(options) {
    let ret = wasm.core_route(this.__wbg_ptr, options);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * The provider of the last routed lease.
   * @returns {number}
   */
  routedTo() {
    return wasm.core_routedTo(this.__wbg_ptr) >>> 0;
  }
  /**
   * Seeds the random choices from a text.
   * @param {string} seed
   */
  seed(seed2) {
    let ptr0 = passStringToWasm0(seed2, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN;
    wasm.core_seed(this.__wbg_ptr, ptr0, len0);
  }
  /**
   * Where the session of the last routed lease was, as provider and credential; empty when nowhere.
   * @returns {Uint32Array}
   */
  sessionSeen() {
    let ret = wasm.core_sessionSeen(this.__wbg_ptr);
    var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
    return wasm.__wbindgen_free(ret[0], ret[1] * 4, 4), v1;
  }
  /**
   * How many sessions are remembered.
   * @returns {number}
   */
  sessions() {
    return wasm.core_sessions(this.__wbg_ptr) >>> 0;
  }
  /**
   * Ends a lease when its status is a success that changes nothing; answers whether it did.
   * @param {number} lease
   * @param {number} status
   * @returns {boolean}
   */
  settle(lease, status) {
    return wasm.core_settle(this.__wbg_ptr, lease, status) !== 0;
  }
  /**
   * All that must outlive the process.
   * @returns {any}
   */
  snapshot() {
    let ret = wasm.core_snapshot(this.__wbg_ptr);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return takeFromExternrefTable0(ret[0]);
  }
  /**
   * A random part of a wait that many share, in milliseconds.
   * @param {number} wait
   * @returns {number}
   */
  spread(wait) {
    return wasm.core_spread(this.__wbg_ptr, wait);
  }
  /**
   * What is known of each credential.
   * @param {number} provider
   * @returns {any}
   */
  status(provider) {
    let ret = wasm.core_status(this.__wbg_ptr, provider);
    if (ret[2])
      throw takeFromExternrefTable0(ret[1]);
    return takeFromExternrefTable0(ret[0]);
  }
  /**
   * Applies a success to the credential that the session got last.
   * @param {number} low
   * @param {number} high
   */
  succeedSession(low2, high2) {
    let ret = wasm.core_succeedSession(this.__wbg_ptr, low2, high2);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Drops what is forgotten and repeats what was not confirmed.
   */
  sweep() {
    let ret = wasm.core_sweep(this.__wbg_ptr);
    if (ret[1])
      throw takeFromExternrefTable0(ret[0]);
  }
  /**
   * Why the last request went nowhere.
   * @returns {string | undefined}
   */
  turnedAwayFor() {
    let ret = wasm.core_turnedAwayFor(this.__wbg_ptr), v1;
    return ret[0] !== 0 && (v1 = getStringFromWasm0(ret[0], ret[1]), wasm.__wbindgen_free(ret[0], ret[1] * 1, 1)), v1;
  }
};
Symbol.dispose && (Core.prototype[Symbol.dispose] = Core.prototype.free);
var Plan = class {
  __destroy_into_raw() {
    let ptr = this.__wbg_ptr;
    return this.__wbg_ptr = 0, PlanFinalization.unregister(this), ptr;
  }
  free() {
    let ptr = this.__destroy_into_raw();
    wasm.__wbg_plan_free(ptr, 0);
  }
  /**
   * What the next attempt asks of that provider: see [`convert::planned`].
   * @param {number} provider
   * @returns {Uint32Array}
   */
  asked(provider) {
    let ret = wasm.plan_asked(this.__wbg_ptr, provider);
    var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
    return wasm.__wbindgen_free(ret[0], ret[1] * 4, 4), v1;
  }
  /**
   * Takes in how the attempt ended, among so many candidates; answers whether there may be another.
   * @param {number} candidates
   * @param {string} _class
   * @param {string} scope
   * @param {boolean} retry_other
   * @param {string} phase
   * @returns {boolean}
   */
  attempted(candidates, _class, scope, retry_other, phase) {
    let val4 = +candidates, val5 = +retry_other, ptr0, len0, ptr1, len1, ptr2, len2;
    try {
      ptr0 = passStringToWasm0(_class, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ptr1 = passStringToWasm0(scope, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len1 = WASM_VECTOR_LEN, ptr2 = passStringToWasm0(phase, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len2 = WASM_VECTOR_LEN;
    } catch (e) {
      throw ptr2 && wasm.__wbindgen_free(ptr2, len2 * 1, 1), ptr1 && wasm.__wbindgen_free(ptr1, len1 * 1, 1), ptr0 && wasm.__wbindgen_free(ptr0, len0 * 1, 1), e;
    }
    return wasm.plan_attempted(this.__wbg_ptr, val4, ptr0, len0, ptr1, len1, val5, ptr2, len2) !== 0;
  }
  /**
   * Lets those who were not to blame be tried once more, among them those of the attempts with these
   * numbers, whose secret was renewed; answers false when there are none.
   * @param {Uint32Array | number[]} renewed
   * @returns {boolean}
   */
  forgive(renewed) {
    let ptr0 = passArray32ToWasm0(renewed, wasm.__wbindgen_malloc), len0 = WASM_VECTOR_LEN;
    return wasm.plan_forgive(this.__wbg_ptr, ptr0, len0) !== 0;
  }
  /**
   * The plan of a request that may have so many attempts; a negative number is the default.
   * @param {number} attempts
   * @param {boolean} idempotent
   */
  constructor(attempts, idempotent) {
    let ret = wasm.plan_new(attempts, idempotent);
    return this.__wbg_ptr = ret, PlanFinalization.register(this, this.__wbg_ptr, this), this;
  }
  /**
   * The numbers, from 0, of the failed attempts whose secret was refused and may be renewed by now.
   * @returns {Uint32Array}
   */
  refused() {
    let ret = wasm.plan_refused(this.__wbg_ptr);
    var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
    return wasm.__wbindgen_free(ret[0], ret[1] * 4, 4), v1;
  }
};
Symbol.dispose && (Plan.prototype[Symbol.dispose] = Plan.prototype.free);
function classify(dialect2, options, facts, now, is_event) {
  let val2 = +now, val3 = +is_event, ptr0 = passStringToWasm0(dialect2, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ret = wasm.classify(ptr0, len0, options, facts, val2, val3);
  if (ret[2])
    throw takeFromExternrefTable0(ret[1]);
  return takeFromExternrefTable0(ret[0]);
}
function hashHigh() {
  return wasm.hashHigh() >>> 0;
}
function hashLow(text4) {
  let ptr0 = passStringToWasm0(text4, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN;
  return wasm.hashLow(ptr0, len0) >>> 0;
}
function knowsDialect(name) {
  let ptr0 = passStringToWasm0(name, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN;
  return wasm.knowsDialect(ptr0, len0) !== 0;
}
function __wbg_Error_208446807d0d1e30(arg0, arg1) {
  return Error(getStringFromWasm0(arg0, arg1));
}
function __wbg___wbindgen_boolean_get_4f1baf9a00be3c74(arg0) {
  let v = arg0, ret = typeof v == "boolean" ? v : void 0;
  return isLikeNone(ret) ? 16777215 : ret ? 1 : 0;
}
function __wbg___wbindgen_is_null_c22311b1cc228e3a(arg0) {
  return arg0 === null;
}
function __wbg___wbindgen_is_object_8b968c3ab8e96595(arg0) {
  let val = arg0;
  return typeof val == "object" && val !== null;
}
function __wbg___wbindgen_is_string_fc456fee5d3317de(arg0) {
  return typeof arg0 == "string";
}
function __wbg___wbindgen_is_undefined_be5b34249ff1fc15(arg0) {
  return arg0 === void 0;
}
function __wbg___wbindgen_number_get_934b640d0889af78(arg0, arg1) {
  let obj = arg1, ret = typeof obj == "number" ? obj : void 0;
  getDataViewMemory0().setFloat64((arg0 >>> 0) + 8, isLikeNone(ret) ? 0 : ret, !0), getDataViewMemory0().setInt32((arg0 >>> 0) + 0, !isLikeNone(ret), !0);
}
function __wbg___wbindgen_string_get_7ce8eee7fd327545(arg0, arg1) {
  let obj = arg1, ret = typeof obj == "string" ? obj : void 0;
  var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len1 = WASM_VECTOR_LEN;
  getDataViewMemory0().setInt32((arg0 >>> 0) + 4, len1, !0), getDataViewMemory0().setInt32((arg0 >>> 0) + 0, ptr1, !0);
}
function __wbg___wbindgen_throw_4c88d8bf264fd984(arg0, arg1) {
  throw new Error(getStringFromWasm0(arg0, arg1));
}
function __wbg_disable_a9bfd2af370c7684(arg0, arg1, arg2, arg3) {
  arg0.disable(arg1 >>> 0, arg2 >>> 0, arg3);
}
function __wbg_emit_c352b2ca732ce196(arg0, arg1) {
  arg0.emit(arg1);
}
function __wbg_entries_7bb1459bd9b5c2b9(arg0) {
  return Object.entries(arg0);
}
function __wbg_getRandomValues_8b6f1f663e6f188d() {
  return handleError(function(arg0, arg1) {
    globalThis.crypto.getRandomValues(getArrayU8FromWasm0(arg0, arg1));
  }, arguments);
}
function __wbg_get_d7176cfb76d71114(arg0, arg1) {
  return arg0[arg1 >>> 0];
}
function __wbg_get_unchecked_e6325ad374eff861(arg0, arg1) {
  return arg0[arg1 >>> 0];
}
function __wbg_isArray_bcf1376d0d732d08(arg0) {
  return Array.isArray(arg0);
}
function __wbg_length_b03a0fabb109b1e9(arg0) {
  return arg0.length;
}
function __wbg_new_37eb45aaf5eeb820() {
  return new Array();
}
function __wbg_new_7075786089b89c5e() {
  return /* @__PURE__ */ new Map();
}
function __wbg_new_cd4348290afae586() {
  return new Object();
}
function __wbg_new_from_slice_e0c60a796e12bb7c(arg0, arg1) {
  return new Int32Array(getArrayI32FromWasm0(arg0, arg1));
}
function __wbg_now_f68ef1967097c251(arg0) {
  return arg0.now();
}
function __wbg_refresh_b763c49bfdbfc8af(arg0, arg1, arg2) {
  arg0.refresh(arg1 >>> 0, arg2 >>> 0);
}
function __wbg_set_8282f7e0d2d01336(arg0, arg1, arg2) {
  return arg0.set(arg1, arg2);
}
function __wbg_set_d2d33b52458e984a(arg0, arg1, arg2) {
  arg0[arg1 >>> 0] = arg2;
}
function __wbg_set_e4b9a833d288759a(arg0, arg1, arg2) {
  arg0[arg1] = arg2;
}
function __wbg_validate_4012d6f2d3310dfd(arg0, arg1, arg2) {
  arg0.validate(arg1 >>> 0, arg2 >>> 0);
}
function __wbindgen_generic_0000000000000001(arg0) {
  return arg0;
}
function __wbindgen_generic_0000000000000002(arg0) {
  return arg0;
}
function __wbindgen_generic_0000000000000003(arg0, arg1) {
  return getStringFromWasm0(arg0, arg1);
}
function __wbindgen_init_externref_table() {
  let table = wasm.__wbindgen_externrefs;
  table.set(0, void 0), table.set(1024, void 0), table.set(1025, null), table.set(1026, !0), table.set(1027, !1);
}
var CoreFinalization = typeof FinalizationRegistry > "u" ? { register: () => {
}, unregister: () => {
} } : new FinalizationRegistry((ptr) => wasm.__wbg_core_free(ptr, 1)), PlanFinalization = typeof FinalizationRegistry > "u" ? { register: () => {
}, unregister: () => {
} } : new FinalizationRegistry((ptr) => wasm.__wbg_plan_free(ptr, 1));
function addToExternrefTable0(obj) {
  let idx = wasm.__externref_table_alloc();
  return wasm.__wbindgen_externrefs.set(idx, obj), idx;
}
function _assertClass(instance, klass) {
  if (!(instance instanceof klass))
    throw new Error(`expected instance of ${klass.name}`);
}
function getArrayI32FromWasm0(ptr, len) {
  return ptr = ptr >>> 0, getInt32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}
function getArrayU32FromWasm0(ptr, len) {
  return ptr = ptr >>> 0, getUint32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}
function getArrayU8FromWasm0(ptr, len) {
  return ptr = ptr >>> 0, getUint8ArrayMemory0().subarray(ptr / 1, ptr / 1 + len);
}
var cachedDataViewMemory0 = null;
function getDataViewMemory0() {
  return (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === !0 || cachedDataViewMemory0.buffer.detached === void 0 && cachedDataViewMemory0.buffer !== wasm.memory.buffer) && (cachedDataViewMemory0 = new DataView(wasm.memory.buffer)), cachedDataViewMemory0;
}
var cachedInt32ArrayMemory0 = null;
function getInt32ArrayMemory0() {
  return (cachedInt32ArrayMemory0 === null || cachedInt32ArrayMemory0.byteLength === 0) && (cachedInt32ArrayMemory0 = new Int32Array(wasm.memory.buffer)), cachedInt32ArrayMemory0;
}
function getStringFromWasm0(ptr, len) {
  return ptr = ptr >>> 0, decodeText(getUint8ArrayMemory0().subarray(ptr, ptr + len));
}
var cachedUint32ArrayMemory0 = null;
function getUint32ArrayMemory0() {
  return (cachedUint32ArrayMemory0 === null || cachedUint32ArrayMemory0.byteLength === 0) && (cachedUint32ArrayMemory0 = new Uint32Array(wasm.memory.buffer)), cachedUint32ArrayMemory0;
}
var cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
  return (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) && (cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer)), cachedUint8ArrayMemory0;
}
function handleError(f, args) {
  try {
    return f.apply(this, args);
  } catch (e) {
    let idx = addToExternrefTable0(e);
    wasm.__wbindgen_exn_store(idx);
  }
}
function isLikeNone(x) {
  return x == null;
}
function passArray32ToWasm0(arg, malloc) {
  let ptr = malloc(arg.length * 4, 4) >>> 0;
  return getUint32ArrayMemory0().set(arg, ptr / 4), WASM_VECTOR_LEN = arg.length, ptr;
}
function passStringToWasm0(arg, malloc, realloc) {
  if (realloc === void 0) {
    let buf = cachedTextEncoder.encode(arg), ptr2 = malloc(buf.length, 1) >>> 0;
    return getUint8ArrayMemory0().subarray(ptr2, ptr2 + buf.length).set(buf), WASM_VECTOR_LEN = buf.length, ptr2;
  }
  let len = arg.length, ptr = malloc(len, 1) >>> 0, mem = getUint8ArrayMemory0(), offset = 0;
  for (; offset < len; offset++) {
    let code = arg.charCodeAt(offset);
    if (code > 127) break;
    mem[ptr + offset] = code;
  }
  if (offset !== len) {
    offset !== 0 && (arg = arg.slice(offset)), ptr = realloc(ptr, len, len = offset + arg.length * 3, 1) >>> 0;
    let view = getUint8ArrayMemory0().subarray(ptr + offset, ptr + len), ret = cachedTextEncoder.encodeInto(arg, view);
    offset += ret.written, ptr = realloc(ptr, len, offset, 1) >>> 0;
  }
  return WASM_VECTOR_LEN = offset, ptr;
}
function takeFromExternrefTable0(idx) {
  let value = wasm.__wbindgen_externrefs.get(idx);
  return wasm.__externref_table_dealloc(idx), value;
}
var cachedTextDecoder = new TextDecoder("utf-8", { ignoreBOM: !0 });
cachedTextDecoder.decode();
var MAX_SAFARI_DECODE_BYTES = 2146435072, numBytesDecoded = 0;
function decodeText(bytes) {
  return numBytesDecoded += bytes.length, numBytesDecoded >= MAX_SAFARI_DECODE_BYTES && (cachedTextDecoder = new TextDecoder("utf-8", { ignoreBOM: !0 }), cachedTextDecoder.decode(), numBytesDecoded = bytes.length), cachedTextDecoder.decode(bytes);
}
var cachedTextEncoder = new TextEncoder();
"encodeInto" in cachedTextEncoder || (cachedTextEncoder.encodeInto = function(arg, view) {
  let buf = cachedTextEncoder.encode(arg);
  return view.set(buf), {
    read: arg.length,
    written: buf.length
  };
});
var WASM_VECTOR_LEN = 0, wasm;
function __wbg_set_wasm(val) {
  wasm = val;
}

// js/errors.ts
var KeyrotaError = class extends Error {
  name = "KeyrotaError";
  code;
  constructor(code, message, facts = {}, cause) {
    super(message, cause === void 0 ? void 0 : { cause }), this.code = code, Object.assign(this, facts);
  }
  /** The error as plain data, to be sent to another process or written to a log. */
  toJSON() {
    let { name, code, message } = this, { cause: _2, stack: __2, ...facts } = { ...this };
    return { ...facts, name, code, message };
  }
};
function isKeyrotaError(value, code) {
  let error = value;
  return typeof error == "object" && error?.name === "KeyrotaError" && typeof error.code == "string" && (code === void 0 || error.code === code);
}
function invalidOption(path, value, rule2) {
  let message = `${path} ${rule2}; it is ${typeName(value)}`;
  return new KeyrotaError("invalid_option", message, { path, rule: rule2 });
}
function typeName(value) {
  return value === null ? "null" : value === void 0 ? "not given" : typeof value == "string" ? value === "" ? "an empty text" : "a text" : Array.isArray(value) ? "a list" : typeof value == "number" ? `the number ${value}` : `of type ${typeof value}`;
}
function loadFailed(provider, cause) {
  if (cause instanceof KeyrotaError) return cause;
  let message = `load('${provider}') failed; see the error's cause`;
  return new KeyrotaError("load_failed", message, { provider }, cause);
}
function messageOf(error) {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "it cannot be shown";
  }
}

// js/wasm/instance.ts
var source, started = !1;
function start(from = source) {
  if (started) return;
  if (from === void 0)
    throw new KeyrotaError(
      "not_initialized",
      "keyrota/slim brings no WebAssembly: call initSync(module) first, with the compiled 'keyrota/keyrota.wasm' or its bytes."
    );
  if (typeof WebAssembly != "object")
    throw new KeyrotaError(
      "unsupported_engine",
      "This engine has no WebAssembly. Keyrota needs Node 20, Chromium 115, Firefox 115, Safari 16.4 or newer."
    );
  let instance = new WebAssembly.Instance(compiled(from()), {
    // The glue is an ES module's namespace, whose type has no index.
    "./core_bg.js": core_bg_exports
  });
  __wbg_set_wasm(instance.exports);
  let begin = instance.exports.__wbindgen_start;
  typeof begin == "function" && begin(), started = !0;
}
function compiled(from) {
  if (!(from instanceof ArrayBuffer || ArrayBuffer.isView(from))) return from;
  try {
    return new WebAssembly.Module(from);
  } catch (error) {
    throw error instanceof WebAssembly.CompileError && !/polic|CSP|unsafe-eval|disallowed/i.test(error.message) ? new KeyrotaError(
      "unsupported_engine",
      `This engine cannot compile the core: ${error.message}. Keyrota needs Node 20, Chromium 115, Firefox 115, Safari 16.4 or newer.`,
      {},
      error
    ) : new KeyrotaError(
      "wasm_blocked",
      "WebAssembly may not be compiled here. In a page or worker, add 'wasm-unsafe-eval' to script-src of the Content-Security-Policy; where compiling is forbidden altogether, use keyrota/slim with a module that the platform compiled.",
      {},
      error
    );
  }
}

// js/options.ts
var STRATEGIES = [
  "weighted-round-robin",
  "smooth",
  "weighted-random",
  "least-busy",
  "fill-first",
  "rendezvous"
], callback = (path, value) => {
  if (typeof value != "function") throw invalidOption(path, value, "must be a function");
}, LONGEST_MS = 315576e7;
function whole(least, most = LONGEST_MS) {
  return (path, value) => {
    if (!Number.isSafeInteger(value) || value < least || value > most)
      throw invalidOption(path, value, `must be a whole number from ${least} to ${most}`);
  };
}
function number(least, most) {
  return (path, value) => {
    if (!(typeof value == "number" && value >= least && value <= most))
      throw invalidOption(path, value, `must be a number from ${least} to ${most}`);
  };
}
function oneOf(names) {
  return (path, value) => {
    if (names.includes(value)) return;
    let near = typeof value == "string" ? nearest(value, names) : void 0, hint = near === void 0 ? "" : ` (did you mean '${near}'?)`;
    throw invalidOption(path, value, `must be one of '${names.join("', '")}'${hint}`);
  };
}
function orNull(check) {
  return (path, value) => {
    value !== null && check(path, value);
  };
}
function fields(checks) {
  return (path, value) => {
    if (!isObject(value)) throw invalidOption(path || "options", value, "must be an object");
    for (let [name, field] of Object.entries(value)) {
      let place = path === "" ? name : `${path}.${name}`, check = Object.hasOwn(checks, name) ? checks[name] : void 0;
      if (check === void 0) throw unknownOption(place, name, Object.keys(checks));
      field !== void 0 && check(place, field);
    }
  };
}
function record(check) {
  return (path, value) => {
    if (!isObject(value)) throw invalidOption(path, value, "must be an object");
    for (let [name, entry] of Object.entries(value)) check(`${path}.${name}`, entry);
  };
}
function list(check) {
  return (path, value) => {
    if (!Array.isArray(value)) throw invalidOption(path, value, "must be a list");
    value.forEach((item, at) => {
      check(`${path}[${at}]`, item);
    });
  };
}
var anything = () => {
}, CREDENTIAL = fields({
  id: anything,
  secret: anything,
  label: anything,
  enabled: anything,
  weight: anything,
  order: anything,
  priority: anything,
  models: anything,
  quotaGroup: anything,
  refreshable: anything,
  secretVersion: anything,
  maxConcurrent: anything,
  kind: anything,
  authorized: anything
}), inlineCredential = (path, value) => {
  if (typeof value == "string") return;
  if (value !== void 0) return CREDENTIAL(path, value);
  throw invalidOption(path, value, "must be a secret or an object (is the environment variable set?)");
}, LADDER = {
  baseMs: whole(0),
  multiplier: number(1, 1e3),
  capMs: whole(0),
  forgetAfterMs: whole(0)
}, COOLDOWN = fields({
  ...LADDER,
  overload: fields(LADDER),
  denied: fields(LADDER),
  pause: fields(LADDER),
  jitter: number(0, 1),
  aloneMs: whole(0)
}), CLASSES = {
  ok: !0,
  rate_limited: !0,
  overloaded: !0,
  quota_exhausted: !0,
  auth_failed: !0,
  model_denied: !0,
  client_error: !0,
  over_key_limit: !0,
  server_error: !0,
  egress_blocked: !0,
  unknown_outcome: !0,
  client_aborted: !0
}, SCOPES = {
  none: !0,
  request: !0,
  credential: !0,
  model: !0,
  account: !0,
  provider: !0,
  egress: !0
}, flag = (path, value) => {
  if (typeof value != "boolean") throw invalidOption(path, value, "must be true or false");
}, text = (path, value) => {
  if (typeof value != "string" || value === "")
    throw invalidOption(path, value, "must be a text that is not empty");
}, aClass = oneOf(Object.keys(CLASSES)), EFFECT = fields({
  class: aClass,
  scope: oneOf(Object.keys(SCOPES)),
  waitMs: whole(1, 400 * 864e5),
  disable: flag,
  retryOther: flag
}), effect = (path, value) => {
  if (typeof value == "string") return aClass(path, value);
  EFFECT(path, value), aClass(`${path}.class`, value.class);
}, CONDITIONS = { status: whole(100, 999), code: text, bodyIncludes: text, provider: text }, RULE = fields({ ...CONDITIONS, effect }), rule = (path, value) => {
  RULE(path, value);
  let given = value;
  if (Object.keys(CONDITIONS).every((name) => given[name] === void 0))
    throw invalidOption(`${path}.status`, void 0, "must be given, or code, bodyIncludes or provider");
  effect(`${path}.effect`, given.effect);
}, MOST_RULES = 100, RULES = (path, value) => {
  if (list(rule)(path, value), value.length > MOST_RULES)
    throw invalidOption(path, value, `must have at most ${MOST_RULES} rules`);
}, strategy = (path, value) => {
  typeof value != "function" && oneOf(STRATEGIES)(path, value);
}, seed = (path, value) => {
  if (typeof value != "string" && !Number.isFinite(value))
    throw invalidOption(path, value, "must be a text or a finite number");
}, PROVIDER = {
  policy: oneOf(["adaptive", "classic"]),
  strategy,
  cooldown: COOLDOWN,
  dialect: text,
  rules: RULES,
  exhausted: fields({ policy: oneOf(["refuse", "wait", "fail-open"]), maxWaitMs: whole(0) }),
  probe: fields({ ttlMs: whole(0), everyMs: whole(1), longerThanMs: whole(0) }),
  rollback: fields({ credentials: whole(1, 1e3), requests: whole(1, 1e3), withinMs: whole(0) }),
  maxConcurrent: orNull(whole(1, 1e6)),
  blacklist: orNull(fields({ threshold: whole(1, 1e3), validateEveryMs: whole(1) }))
}, SHARED = {
  refresh: callback,
  validate: callback,
  now: callback,
  resolveSecret: callback,
  seed,
  leaseTtlMs: whole(1)
}, POOL = fields({
  ...PROVIDER,
  ...SHARED,
  load: callback,
  credentials: record(list(inlineCredential)),
  disable: callback,
  fallbackSecret: callback,
  affinity: fields({ capacity: whole(0, 1e7), ttlMs: whole(1), homeMs: whole(0) }),
  providers: record(fields(PROVIDER))
}), { policy: _, strategy: __, dialect, ...OF_ROUTER } = PROVIDER, ROUTER = {
  pool: { ...OF_ROUTER, ...SHARED },
  group: { ...OF_ROUTER, dialect },
  credential: CREDENTIAL,
  request: {
    accessKey: text,
    protocol: text,
    model: anything,
    session: anything,
    continues: anything
  }
};
function checkOptions(options) {
  if (!isObject(options)) throw invalidOption("options", options, "must be an object");
  if (POOL("", options), options.load === void 0 && options.credentials === void 0) {
    let rule2 = "must be given, or 'credentials'";
    throw new KeyrotaError("invalid_option", `load ${rule2}`, { path: "load", rule: rule2 });
  }
  let { rules = [], providers = {} } = options;
  for (let [name, own] of Object.entries(providers))
    if (rules.length + (own.rules?.length ?? 0) > MOST_RULES) {
      let rule2 = `must have at most ${MOST_RULES} rules with those of the pool`;
      throw invalidOption(`providers.${name}.rules`, own.rules, rule2);
    }
}
var EVENTS = {
  acquired: !0,
  cooldown: !0,
  paused: !0,
  recovered: !0,
  disabled: !0,
  disable_failed: !0,
  blacklisted: !0,
  enabled: !0,
  refreshed: !0,
  refresh_failed: !0,
  rebound: !0,
  lease_expired: !0,
  invalid_credential: !0,
  secret_unresolved: !0
};
function checkListener(event, listener) {
  oneOf(Object.keys(EVENTS))("event", event), callback("listener", listener);
}
var signal = (path, value) => {
  if (typeof value?.addEventListener != "function")
    throw invalidOption(path, value, "must be an AbortSignal");
}, REQUEST = {
  provider: anything,
  session: anything,
  model: anything,
  tried: anything,
  continues: anything
}, WAITING = { maxWaitMs: anything, signal }, RUN = {
  ...WAITING,
  idempotent: anything,
  maxAttempts: anything,
  retry: callback,
  retryEmptyResponses: flag
}, checkRequest = fields(REQUEST), checkAcquire = fields({ ...REQUEST, ...WAITING }), checkRun = fields({ ...REQUEST, ...RUN }), checkInspect = fields(ROUTER.request), checkRoute = fields({ ...ROUTER.request, ...RUN }), calls = {
  explain: (request) => checkRequest("", request ?? null),
  acquire: (options) => checkAcquire("", options ?? null),
  probe: (send) => callback("send", send),
  run: (options, attempt2) => {
    checkRun("", options ?? null), callback("attempt", attempt2);
  },
  inspect: (request) => checkInspect("", request ?? null),
  route: (options, attempt2) => {
    checkRoute("", options ?? null), callback("attempt", attempt2);
  }
}, Options = {
  fields,
  anyCallback: callback,
  nonEmptyText: text,
  wholeFrom: (least) => whole(least),
  numberFrom: number,
  yesOrNo: flag,
  nearest
};
function milliseconds(path, value, fallback) {
  if (value === void 0) return fallback;
  if (typeof value == "number" && value >= 0) return value;
  throw invalidOption(path, value, "must be a number of milliseconds that is not negative");
}
function isObject(value) {
  return typeof value == "object" && value !== null && !Array.isArray(value);
}
function unknownOption(path, name, known) {
  let near = nearest(name, known), hint = near === void 0 ? `known are ${known.join(", ")}` : `did you mean '${near}'?`, facts = near === void 0 ? { path } : { path, nearest: near };
  return new KeyrotaError("unknown_option", `there is no option ${path}; ${hint}`, facts);
}
function nearest(name, known) {
  let wanted = name.toLowerCase(), edits = (candidate) => wanted.length > 2 && candidate.includes(wanted) ? 1 : editDistance(wanted, candidate), best = known.map((candidate) => ({ candidate, edits: edits(candidate.toLowerCase()) })).sort((a, b) => a.edits - b.edits)[0];
  return best !== void 0 && best.edits <= Math.max(2, name.length / 2) ? best.candidate : void 0;
}
function editDistance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_2, at) => at);
  for (let i = 1; i <= from.length; i++) {
    let next2 = [i];
    for (let j = 1; j <= to.length; j++) {
      let replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next2.push(Math.min(replaced, (row[j] ?? 0) + 1, (next2[j - 1] ?? 0) + 1));
    }
    row = next2;
  }
  return row[to.length] ?? 0;
}

// js/outcome.ts
var MOST_BODY = 65536, BODY_TIMEOUT_MS = 5e3, NO_BODY = { text: "", isCut: !1 }, PHASES = ["before_send", "sent_no_response", "before_content", "after_content", "response"];
function statusOf(outcome) {
  let source2 = outcome, { response, lastError, $metadata } = source2 ?? {}, status = source2?.status ?? source2?.statusCode ?? response?.status ?? response?.statusCode ?? $metadata?.httpStatusCode ?? // What gave up after several tries, as the AI SDK does.
  lastError?.statusCode;
  return Number.isInteger(status) && status >= 100 && status <= 999 ? status : void 0;
}
function readOutcome(outcome) {
  if (typeof outcome != "object" || outcome === null)
    throw invalidOption("outcome", outcome, "must be a response, an error or { status, headers, body }");
  let given = outcome, source2 = (given.status === void 0 ? given.lastError : void 0) ?? given, status = statusOf(source2), { phase } = source2, told = PHASES.includes(phase) ? { phase } : {};
  if (status === void 0) {
    let networkCode = text2(source2.networkCode) ?? networkCodeOf(source2);
    return { phase: "sent_no_response", ...told, ...networkCode && { networkCode } };
  }
  let facts = { ...told, status, headers: headerList(headersOf(source2)) };
  return withBody(facts, startOf(bodyOf(source2)));
}
function withBody(facts, { text: body2, isCut }) {
  return body2 !== "" && (facts.body = body2), isCut && (facts.isCut = !0), facts;
}
function unreadBody(outcome) {
  let { response } = outcome, source2 = typeof outcome.clone != "function" && response !== void 0 ? response : outcome, { clone, bodyUsed, body: unread } = source2;
  if (typeof clone != "function" || bodyUsed !== !1 || !isUnread(unread)) return;
  let type = header(source2.headers, "content-type") ?? "", isError = (statusOf(source2) ?? 0) >= 400;
  if (/event-?stream|ndjson/i.test(type) || !(isError || /json/i.test(type))) return;
  let { body: body2 } = clone.call(source2);
  return body2 === null ? void 0 : readText(body2);
}
function isUnread(body2) {
  let { getReader, locked } = body2 ?? {};
  return typeof getReader == "function" && locked === !1;
}
async function readText(body2) {
  let reader = body2.getReader(), decoder = new TextDecoder(), timer, late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(void 0), BODY_TIMEOUT_MS);
  }), text4 = "", isCut = !0;
  try {
    for (; text4.length <= MOST_BODY; ) {
      let next2 = await Promise.race([reader.read(), late]);
      if (next2 === void 0) break;
      if (next2.done) {
        isCut = !1;
        break;
      }
      text4 += decoder.decode(next2.value.subarray(0, MOST_BODY + 1), { stream: !0 });
    }
  } catch {
    isCut = !1;
  } finally {
    clearTimeout(timer), reader.cancel().catch(() => {
    });
  }
  return { text: text4.slice(0, MOST_BODY), isCut };
}
function mayHideError(outcome) {
  let source2 = outcome;
  return typeof source2.clone == "function" ? /json/i.test(header(source2.headers, "content-type") ?? "") : bodyOf(source2) !== void 0;
}
var LEAST_SECRET = 8;
function hideSecret(facts, secret) {
  secret.length < LEAST_SECRET || (facts.body !== void 0 && (facts.body = facts.body.replaceAll(secret, "…")), facts.headers !== void 0 && (facts.headers = facts.headers.map((entry) => entry.replaceAll(secret, "…"))));
}
function headerList(headers2) {
  let list2 = [], add = (value, name) => {
    let told = Array.isArray(value) ? value.join(", ") : text2(value);
    typeof name == "string" && told !== void 0 && list2.push(name, told);
  };
  if (typeof headers2 != "object" || headers2 === null) return list2;
  let { forEach } = headers2;
  if (Array.isArray(headers2))
    for (let pair of headers2) Array.isArray(pair) && add(pair[1], pair[0]);
  else if (typeof forEach == "function") forEach.call(headers2, add);
  else for (let [name, value] of Object.entries(headers2)) add(value, name);
  return list2;
}
function startOf(body2) {
  if (body2 == null) return NO_BODY;
  if (typeof body2 == "string")
    return { text: body2.slice(0, MOST_BODY), isCut: body2.length > MOST_BODY };
  let kind = Object.prototype.toString.call(body2);
  if (kind === "[object ArrayBuffer]" || kind === "[object SharedArrayBuffer]")
    return startOf(new Uint8Array(body2));
  try {
    if (ArrayBuffer.isView(body2)) {
      let { buffer, byteOffset, byteLength } = body2, start2 = new Uint8Array(buffer, byteOffset, Math.min(byteLength, MOST_BODY));
      return { text: new TextDecoder().decode(start2.slice()), isCut: byteLength > MOST_BODY };
    }
    return startOf(JSON.stringify(body2));
  } catch {
    return NO_BODY;
  }
}
function headersOf(source2) {
  return source2.headers ?? source2.responseHeaders ?? source2.response?.headers;
}
function bodyOf(source2) {
  let { body: body2, responseBody, data, error, message, response, $metadata, name } = source2;
  if ($metadata !== void 0) return { __type: name, message };
  let found = (isStream(body2) ? void 0 : body2) ?? responseBody ?? response?.data ?? response?.body ?? data;
  return found ?? (typeof error == "object" && error !== null ? "error" in error ? error : { error } : typeof message == "string" && message.startsWith("{") ? message : void 0);
}
function isStream(body2) {
  let { getReader, pipe } = body2 ?? {};
  return typeof getReader == "function" || typeof pipe == "function";
}
function header(headers2, name) {
  let list2 = headerList(headers2), at = list2.findIndex((entry, place) => place % 2 === 0 && entry.toLowerCase() === name);
  return at < 0 ? void 0 : list2[at + 1];
}
function text2(value) {
  return typeof value == "number" ? String(value) : typeof value == "string" ? value : void 0;
}
function networkCodeOf(error) {
  let at = error;
  for (let depth = 0; depth < 5 && typeof at == "object" && at !== null; depth++) {
    let kind = at.name === "Error" ? at.constructor?.name : at.name;
    if (kind === "AbortError" || kind === "APIUserAbortError") return "AbortError";
    if (kind === "TimeoutError") return kind;
    if (typeof at.code == "string") return at.code;
    at = at.cause;
  }
}

// js/wasm/core.ts
var NONE_AVAILABLE = -1, NOT_LOADED = -2, BAD_CLOCK = -3, NO_RANDOMNESS = -4, DENIED = -5, NO_GROUP = -6;
function createCore(host, options) {
  return start(), checked(() => new Core(host, options));
}
function createPlan(attempts, idempotent) {
  return new Plan(attempts ?? -1, idempotent);
}
function knowsDialect2(name) {
  return start(), knowsDialect(name);
}
function classifyFacts(dialect2, options, facts, now, isEvent) {
  return start(), checked(() => classify(dialect2, options, facts, now, isEvent));
}
function checked(call) {
  try {
    return call();
  } catch (error) {
    let { code, message, path, rule: rule2 } = error;
    if (error instanceof Error || code === void 0) throw error;
    let facts = path === void 0 || rule2 === void 0 ? {} : { path, rule: rule2 };
    throw new KeyrotaError(code, message, facts);
  }
}

// js/classify.ts
var PHASES2 = ["before_send", "sent_no_response", "before_content", "after_content", "response"], LAST_MOMENT = 864e13, text3 = (path, value) => {
  if (typeof value != "string") throw invalidOption(path, value, "must be a text");
}, headers = (path, value) => {
  if (typeof value != "object")
    throw invalidOption(path, value, "must be a Headers, an object or a list of pairs");
  let list2 = Array.isArray(value) ? value : [], wrong = list2.findIndex((pair) => !Array.isArray(pair) || pair.length !== 2);
  if (wrong >= 0)
    throw invalidOption(`${path}[${wrong}]`, list2[wrong], "must be a pair of a name and a value");
}, body = (path, value) => {
  let { then, getReader, pipe, arrayBuffer } = value;
  if ([then, getReader, pipe, arrayBuffer].some((method) => typeof method == "function"))
    throw invalidOption(path, value, "must have been read: text, bytes, or the JSON as an object");
}, moment = (path, value) => {
  if (!(Math.abs(momentOf(value)) <= LAST_MOMENT))
    throw invalidOption(path, value, "must be milliseconds since the epoch, a Date, or its ISO text");
}, COMMON = {
  provider: text3,
  model: orNull(text3),
  headers: orNull(headers),
  phase: orNull(oneOf(PHASES2)),
  now: moment,
  rules: RULES
}, INPUT = {
  ...COMMON,
  status: orNull(whole(100, 999)),
  body: orNull(body),
  networkCode: orNull(text3)
}, checkInput = fields(INPUT), checkEvent = fields({ ...COMMON, event: orNull(body) });
function classify2(input) {
  checkInput("", input ?? null);
  let { status, networkCode } = input, facts = common(input);
  return typeof status == "number" && (facts.status = status), typeof networkCode == "string" && (facts.networkCode = networkCode), judge(input, withBody(facts, startOf(input.body)), !1);
}
function classifyStreamEvent(input) {
  if (checkEvent("", input ?? null), input.event === void 0) throw invalidOption("event", void 0, "must be given");
  let facts = { phase: "before_content", ...common(input), status: 200 };
  return judge(input, withBody(facts, startOf(input.event)), !0);
}
function judge({ provider, now, rules = [] }, facts, isEvent) {
  text3("provider", provider);
  let at = now === void 0 ? Date.now() : momentOf(now);
  return classifyFacts(provider, { rules }, facts, at, isEvent);
}
function common({ headers: headers2, phase, model }) {
  let facts = { headers: headerList(headers2) };
  return typeof phase == "string" && (facts.phase = phase), typeof model == "string" && (facts.model = model), facts;
}
function momentOf(value) {
  return typeof value == "number" ? value : typeof value == "string" || value instanceof Date ? new Date(value).getTime() : Number.NaN;
}

// js/describe.ts
function describe(what) {
  let { model, until, stated, waitFrom } = what, isCandidate = "reason" in what, cause = isCandidate ? what.cause : what.class, rest = what.scope === "provider" ? "paused" : "cooling", by = isCandidate ? what.by : null, kind = by !== null ? `disabled by ${by}` : isCandidate ? what.reason : rest, word = kind === "model_cooling" ? "cooling" : kind, parts = [word.replaceAll("_", " ")];
  return model !== null && parts.push(` for ${model}`), until !== null && parts.push(` until ${time(until)}`), stated ? parts.push(`, stated by ${placeOf(waitFrom)}`) : cause !== null && cause !== word && parts.push(`, after ${cause}`), isCandidate && what.rule !== null && parts.push(`: ${what.field} ${what.rule}`), parts.join("");
}
function time(ms) {
  return Math.abs(ms) <= 864e13 ? new Date(ms).toISOString().replace("T", " ").replace(/\.\d+/, "") : "further notice";
}
function placeOf(waitFrom) {
  let [kind = "", place = ""] = (waitFrom ?? "").split(/:(.*)/s);
  return kind === "header" ? place.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()) : kind === "text" ? `the words '${place}'` : kind === "body" ? `the field ${place}` : kind === "" ? "the provider" : `${kind} (${place})`;
}

// js/empty.ts
var ORDINARY = /^(?:stop|end_turn|stop_sequence|eos|finish_reason_unspecified)?$/i, NUMBERS = /^(?:usageMetadata|modelVersion|responseId|createTime|sdkHttpResponse)$/, SILENT = /^(?:ping|content_block_stop|message_stop|response\.(?:created|queued|in_progress))$/;
function isEmptyAnswer(answer) {
  if (!isObject2(answer)) return !1;
  let { object, status, output, type, content, stop_reason: reason, promptFeedback } = answer;
  if ((answer.error ?? promptFeedback ?? void 0) !== void 0) return !1;
  let choices = answer.choices ?? answer.candidates;
  if (Array.isArray(choices)) return choices.every(isEmptyChoice);
  if (object === "response") return status === "completed" && Array.isArray(output) && !says(output);
  if (type === "message") return Array.isArray(content) && !says(content) && isOrdinary(reason);
  let names = Object.keys(answer).filter((name) => answer[name] !== void 0);
  return names.includes("usageMetadata") && names.every((name) => NUMBERS.test(name));
}
function isEmptyEvent(name, data) {
  if (data === "[DONE]") return !0;
  let event = parsed(data);
  if (event === void 0) return !1;
  let type = typeof event.type == "string" ? event.type : name;
  return SILENT.test(type) ? !0 : type === "message_start" ? !says(event.message?.content) : type === "content_block_start" ? !says(event.content_block) : type === "message_delta" ? isOrdinary(event.delta?.stop_reason) : type === "response.completed" ? isEmptyAnswer({ object: "response", ...event.response }) : type.startsWith("response.output_item.") ? !says(event.item) : /_part\.(?:added|done)$/.test(type) ? !says(event.part) : /text\.done$/.test(type) ? !says(event.text) : /delta$/.test(type) ? !says(event.delta) : isEmptyAnswer(event);
}
function isEmptyText(text4) {
  return isEmptyAnswer(parsed(text4));
}
function isEmptyChoice(choice) {
  if (!isObject2(choice)) return !1;
  let { message, delta, text: text4, content, finish_reason: reason, finishReason } = choice, told = Object.entries({ ...message, ...delta }).some(([name, value]) => name !== "role" && says(value)), parts = isObject2(content) ? content.parts : void 0;
  return !told && !says(text4) && !says(parts) && isOrdinary(reason ?? finishReason);
}
function isOrdinary(reason) {
  return typeof (reason ?? "") == "string" && ORDINARY.test(reason ?? "");
}
function says(part) {
  if (typeof part == "string") return part !== "";
  if (Array.isArray(part)) return part.some(says);
  if (!isObject2(part)) return !1;
  let { type, content, summary } = part;
  if (type === "message" || type === "reasoning") return says(content) || says(summary);
  let text4 = part.text ?? part.thinking;
  return typeof text4 != "string" || text4 !== "";
}
function isObject2(value) {
  return typeof value == "object" && value !== null && !Array.isArray(value);
}
function parsed(text4) {
  try {
    let json = JSON.parse(text4);
    return isObject2(json) ? json : void 0;
  } catch {
    return;
  }
}

// js/secrets.ts
var REFERENCE = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/;
function variableOf(secret) {
  let match = REFERENCE.exec(secret.trim());
  return match?.[1] ?? match?.[2] ?? null;
}
function fromEnvironment(secret) {
  let variable = variableOf(secret);
  if (variable === null) return secret;
  let { process } = globalThis, value = process?.env?.[variable];
  return typeof value == "string" ? value : void 0;
}
function cleaned(value) {
  if (typeof value != "string") return { rule: "must be a text" };
  let secret = value.trim();
  return secret === "" ? { rule: "must not be empty" } : /^[\x21-\x7e]+$/.test(secret) ? secret.includes(",") ? { rule: "must be one key: it has a comma" } : { secret } : {
    rule: `must be of visible ASCII characters without blanks (it has ${secret.length} characters)`
  };
}
var Secrets = { cleaned, variableOf };

// js/callbacks.ts
function askForSecret(owner, refresh, provider, number2) {
  let { core, listeners } = owner, credential = provider.credentials[number2];
  if (credential === void 0) return;
  let about = { provider: provider.name, credential: credential.id }, settle = (hasNew) => {
    owner.disposed || core.refreshed(provider.index, number2, hasNew), owner.wake();
  }, fail = (message) => (owner.disposed || listeners.emit("refresh_failed", { ...about, message }), settle(!1));
  if (refresh === void 0) {
    settle(!1);
    return;
  }
  let settled = (async () => refresh(credential.id))().then(
    (answer) => {
      if (owner.disposed) return;
      let result = cleaned(answer);
      return "rule" in result ? fail(`refresh answered no secret: it ${result.rule}`) : (provider.secrets[number2] = result.secret, provider.inline && provider.renewed.set(credential.id, result.secret), listeners.emit("refreshed", about), settle(!0));
    },
    () => fail("refresh failed")
  ).finally(() => provider.refreshing.delete(number2));
  provider.refreshing.set(number2, settled);
}
function keepDisabled(owner, disable, provider, number2, why) {
  let credential = provider.credentials[number2];
  if (disable === void 0 || credential === void 0 || provider.isFallback || provider.disabling.has(number2) || provider.stored.has(number2)) return;
  let fail = (message) => {
    if (owner.disposed) return;
    let about = { provider: provider.name, credential: credential.id };
    owner.listeners.emit("disable_failed", { ...about, message });
  }, settle = (answer) => {
    if (!owner.disposed) {
      if (answer !== !0) return fail("disable did not answer true");
      if (provider.inline) {
        provider.stored.add(number2);
        return;
      }
      owner.core.confirmDisabled(provider.index, number2), owner.invalidate(provider.name);
    }
  }, settled = (async () => disable(credential.id, { provider: provider.name, class: why }))().then(settle, (error) => fail(`disable failed: ${messageOf(error)}`)).finally(() => provider.disabling.delete(number2));
  provider.disabling.set(number2, settled);
}

// js/clock.ts
var LONGEST_TIMER_MS = 2147483647, LAST_MOMENT2 = 864e13, Clock = class {
  #now;
  #fault;
  constructor(now) {
    this.#now = now;
  }
  /** Milliseconds since the epoch, or NaN. */
  now = () => {
    try {
      let now = this.#now();
      return typeof now == "number" && Math.abs(now) <= LAST_MOMENT2 ? now : Number.NaN;
    } catch (error) {
      return this.#fault = error, Number.NaN;
    }
  };
  /** What to throw after the core met NaN. */
  error() {
    let fault = this.#fault;
    this.#fault = void 0;
    let message = "now must return a finite number of milliseconds since the epoch";
    return new KeyrotaError("invalid_clock", message, {}, fault);
  }
};
function sleep(ms, signal2, register) {
  let delay = Math.min(Math.max(ms, 1), LONGEST_TIMER_MS);
  return new Promise((resolve, reject) => {
    let finish2 = (end2) => () => {
      clearTimeout(timer), unregister(), signal2?.removeEventListener("abort", abort), end2();
    }, abort = finish2(() => reject(signal2?.reason)), timer = setTimeout(
      finish2(() => resolve(delay)),
      delay
    ), unregister = register(finish2(() => resolve(0)));
    signal2?.addEventListener("abort", abort), signal2?.aborted && abort();
  });
}
function abortable(promise, signal2) {
  return signal2 === void 0 ? promise : new Promise((resolve, reject) => {
    let abort = () => reject(signal2.reason);
    signal2.aborted && abort(), signal2.addEventListener("abort", abort, { once: !0 }), promise.then(resolve, reject).finally(() => signal2.removeEventListener("abort", abort));
  });
}
async function within(promise, ms) {
  let over2 = new AbortController(), time2 = sleep(ms, over2.signal, () => () => {
  }).catch(() => {
  });
  try {
    await Promise.race([promise, time2]);
  } finally {
    over2.abort();
  }
}

// js/events.ts
var Listeners = class {
  #byName = /* @__PURE__ */ new Map();
  /** Adds a listener; answers what removes it. */
  add(name, listener) {
    let listeners = this.#byName.get(name) ?? /* @__PURE__ */ new Set();
    return this.#byName.set(name, listeners.add(listener)), () => {
      listeners.delete(listener), listeners.size === 0 && this.#byName.get(name) === listeners && this.#byName.delete(name);
    };
  }
  /** Whether anyone listens for `name`, or for anything. */
  has(name) {
    return name === void 0 ? this.#byName.size > 0 : this.#byName.has(name);
  }
  emit(name, event) {
    for (let listener of [...this.#byName.get(name) ?? []])
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
  }
  clear() {
    this.#byName.clear();
  }
};

// js/inline.ts
function inlineRows(provider, list2) {
  return list2.map((entry, at) => {
    let id = `${provider.name}-${at + 1}`, row = typeof entry == "string" ? { id, secret: entry } : { ...entry, id: entry.id ?? id }, renewed = provider.renewed.get(row.id);
    return renewed === void 0 ? row : { ...row, secret: renewed };
  });
}
function invalidInline(provider, row, field, rule2) {
  let path = `credentials.${provider}[${row}].${field}`;
  return new KeyrotaError("invalid_option", `${path} ${rule2}`, { path, rule: rule2 });
}

// js/loading.ts
function andThen(value, next2) {
  return isPromise(value) ? Promise.resolve(value).then(next2) : next2(value);
}
function prepareRows(provider, rows, resolve, known) {
  if (!isList(rows))
    throw new KeyrotaError("invalid_rows", `load('${provider}') must answer a list of rows`, {
      provider
    });
  let prepared = Array.from(rows, (row) => prepareRow(row, resolve, known));
  return prepared.some(isPromise) ? Promise.all(prepared) : prepared;
}
function prepareRow(row, resolve, known) {
  let fields2 = readFields(row);
  if (fields2 === void 0) return { row: null };
  let { secret: raw, ...rest } = fields2;
  if (typeof raw != "string" || raw.trim() === "") return finish(rest, raw, known);
  let resolved = attempt(() => resolve(raw));
  return andThen(
    resolved,
    (value) => value instanceof Fault || value === void 0 || value === null || value === "" ? { row: { ...rest, secretUnresolved: !0 }, unresolved: whyUnresolved(raw) } : finish(rest, value, known)
  );
}
function readFields(row) {
  if (!(typeof row != "object" || row === null || isList(row)))
    try {
      let { id, secret, label, enabled, weight, order, priority, secretVersion } = row, { models, quotaGroup, refreshable, maxConcurrent, kind, authorized } = row, list2 = isList(models) ? Array.from(models) : models;
      return { ...{ id, secret, label, enabled, weight, order, priority, models: list2 }, quotaGroup, refreshable, secretVersion, maxConcurrent, kind, authorized };
    } catch {
      return;
    }
}
function isList(value) {
  try {
    return Array.isArray(value);
  } catch {
    return !1;
  }
}
function finish(row, value, known) {
  let result = cleaned(value);
  if ("rule" in result) return { row: { ...row, secretRule: result.rule } };
  let { secret } = result, before = typeof row.id == "string" ? known.get(row.id.trim()) : void 0;
  return { row: { ...row, secretChanged: before !== void 0 && before !== secret }, secret };
}
function whyUnresolved(raw) {
  let variable = variableOf(raw), message = variable === null ? "resolveSecret found no secret" : `the environment variable ${variable} is not set`;
  return { variable, message };
}
var Fault = class {
};
function attempt(call) {
  try {
    let result = call();
    return isPromise(result) ? Promise.resolve(result).catch(() => new Fault()) : result;
  } catch {
    return new Fault();
  }
}
function isPromise(value) {
  return typeof value?.then == "function";
}

// js/provider.ts
var Provider = class {
  name;
  /** Its number in the core. */
  index;
  strategy;
  /** Whether its rows stand in the options. */
  inline;
  /** By the core's number of the credential. */
  credentials = [];
  secrets = [];
  /** Why there is no secret, where one names what is not there. */
  unresolved = /* @__PURE__ */ new Map();
  /** The ids of the rows of the last load that break a rule. */
  invalid = [];
  /** Whether the only row is the provider-level key, which the app's storage does not know. */
  isFallback = !1;
  /** Whether the options have it no more: what is in flight there comes to its end, and nothing else. */
  isGone = !1;
  /** The load under way; `abandon` lets those who wait for it go on without it. */
  loading;
  /** Calls of the storage callback under way, by credential. */
  disabling = /* @__PURE__ */ new Map();
  /** New secrets of credentials in the options, which never change themselves. */
  renewed = /* @__PURE__ */ new Map();
  /** Calls of the refresh callback under way, by credential. */
  refreshing = /* @__PURE__ */ new Map();
  /** How long a request waits when it does not say. */
  longestWaitMs;
  /** Credentials of the options that the storage keeps disabled. */
  stored = /* @__PURE__ */ new Set();
  #numbers = /* @__PURE__ */ new Map();
  constructor(name, index, strategy2, inline, longestWaitMs) {
    this.name = name, this.index = index, this.strategy = strategy2, this.inline = inline, this.longestWaitMs = longestWaitMs;
  }
  /** Keeps what belongs to a credential of the core. */
  keep(number2, credential, { secret, unresolved }) {
    this.credentials[number2] = Object.freeze(credential), this.secrets[number2] = secret, unresolved !== void 0 && this.unresolved.set(number2, unresolved), this.#numbers.set(credential.id, number2);
  }
  /** Forgets the names of the last load; numbers and secrets stay for leases in flight. */
  forgetNames() {
    this.#numbers.clear(), this.stored.clear(), this.unresolved.clear();
  }
  /** How many credentials the last load had. */
  get size() {
    return this.#numbers.size;
  }
  numberOf(id) {
    return this.#numbers.get(id);
  }
  /** The secrets of the last load by id, to tell which ones are replaced by the next. */
  secretsById() {
    let known = /* @__PURE__ */ new Map();
    for (let [id, number2] of this.#numbers) {
      let secret = this.secrets[number2];
      secret !== void 0 && known.set(id, secret);
    }
    return known;
  }
};

// js/rows.ts
function rowsOf(provider, options) {
  let { resolveSecret = fromEnvironment, fallbackSecret } = options, asked = answerOf(provider, () => listedRows(provider, options)), known = provider.secretsById(), prepared = andThen(asked, (rows) => prepareRows(provider.name, rows, resolveSecret, known));
  return andThen(prepared, (rows) => rows.length > 0 || fallbackSecret === void 0 ? { rows, isFallback: !1 } : andThen(
    answerOf(provider, () => fallbackSecret(provider.name)),
    (secret) => {
      if (secret == null || secret === "")
        return { rows, isFallback: !1 };
      let row = { id: `${provider.name}:fallback`, label: "provider-level key", secret }, only = prepareRows(provider.name, [row], resolveSecret, provider.secretsById());
      return andThen(only, (rows2) => ({ rows: rows2, isFallback: !0 }));
    }
  ));
}
function listedRows(provider, { credentials = {}, load }) {
  return provider.inline ? inlineRows(provider, credentials[provider.name] ?? []) : load === void 0 ? [] : load(provider.name);
}
function answerOf(provider, ask2) {
  let fail = (error) => {
    throw loadFailed(provider.name, error);
  };
  try {
    let answer = ask2();
    return isPromise(answer) ? Promise.resolve(answer).catch(fail) : answer;
  } catch (error) {
    return fail(error);
  }
}

// js/session.ts
var session_exports = {};
__export(session_exports, {
  hashSession: () => hashSession,
  high: () => high,
  low: () => low
});
var LONGEST_HERE = 40, low = 0, high = 0;
function hashSession(session, field = "session") {
  if (typeof session != "string") {
    if (session !== void 0) throw invalidOption(field, session, "must be a text");
    low = 0, high = 0;
    return;
  }
  let length = session.length;
  if (length > LONGEST_HERE)
    low = hashLow(session), high = hashHigh();
  else {
    let a = 2654435769 ^ Math.imul(length, 2654435761), b = 2246822507 ^ Math.imul(length, 2246822519);
    for (let at = 0; at < length; at += 2) {
      let pair = session.charCodeAt(at) | session.charCodeAt(at + 1) << 16;
      a = Math.imul(a ^ pair, 3432918353), a = a << 15 | a >>> 17, b = Math.imul(b ^ pair, 461845907), b = b << 13 | b >>> 19;
    }
    low = mix(a ^ b) >>> 0, high = mix(b + Math.imul(a, 5) | 0) >>> 0;
  }
  (low | high) === 0 && (low = 1);
}
function mix(bits) {
  let hash = bits;
  return hash = Math.imul(hash ^ hash >>> 16, 2246822507), hash = Math.imul(hash ^ hash >>> 13, 3266489909), hash ^ hash >>> 16;
}

// js/settings.ts
function settingsOf(all, own) {
  let { policy: exhausted } = over(all.exhausted, own.exhausted), { homeMs } = all.affinity ?? {};
  return {
    policy: own.policy ?? all.policy,
    strategy: strategyName(own.strategy ?? all.strategy),
    cooldown: { ...ladders(all.cooldown, own.cooldown), homeMs },
    probe: over(all.probe, own.probe),
    rollback: over(all.rollback, own.rollback),
    dialect: own.dialect ?? all.dialect,
    rules: [...(own === all ? void 0 : own.rules) ?? [], ...all.rules ?? []],
    failOpen: exhausted === "fail-open",
    maxConcurrent: own.maxConcurrent === void 0 ? all.maxConcurrent : own.maxConcurrent,
    blacklist: blacklistOf(all.blacklist, own.blacklist)
  };
}
function waitOf(all, own) {
  let { policy, maxWaitMs } = over(all.exhausted, own.exhausted);
  return policy === "wait" ? maxWaitMs ?? 3e4 : 0;
}
function over(all, own) {
  let given = Object.entries(own ?? {}).filter(([, value]) => value !== void 0);
  return { ...all, ...Object.fromEntries(given) };
}
function ladders(all = {}, own = {}) {
  let inner = ["overload", "denied", "pause"].map((name) => [name, over(all[name], own[name])]);
  return { ...over(all, own), ...Object.fromEntries(inner) };
}
function blacklistOf(all, own) {
  return own === null || own === void 0 && all == null ? null : over(all ?? void 0, own);
}
function strategyName(strategy2) {
  return typeof strategy2 == "function" ? void 0 : strategy2;
}

// js/engine.ts
var MOST_ROUNDS = 1e3, ALWAYS_INVALIDATED = "the rows were invalidated while they were loaded", Engine = class {
  core;
  clock;
  listeners = new Listeners();
  /** Called when something changed that may help those who wait. */
  wake = () => {
  };
  /** Called when an attempt on a credential of the provider has ended: there may be room for another. */
  freed = () => {
  };
  /** Makes one attempt on a blacklisted key, to find out whether it works again. */
  validate = () => {
  };
  #options;
  #byName = /* @__PURE__ */ new Map();
  #byIndex = [];
  /** What the core said while it took in rows. */
  #held;
  #requests = 0;
  #constructed = !1;
  #disposed = !1;
  #end = () => {
  };
  /** Settles when the pool is disposed: whoever waits for a callback goes on then. */
  #ended = new Promise((resolve) => {
    this.#end = resolve;
  });
  /** @throws {@link KeyrotaError} `invalid_option` or `unknown_option` */
  constructor(options) {
    checkOptions(options);
    let { affinity, leaseTtlMs, seed: seed2, now } = options;
    this.#options = options, this.clock = new Clock(now ?? Date.now);
    let host = {
      now: this.clock.now,
      emit: (event) => this.#tell(() => this.#emit(event)),
      disable: (provider, credential, why) => this.#tell(() => this.#disable(provider, credential, why)),
      refresh: (provider, credential) => this.#tell(() => this.#refresh(provider, credential)),
      validate: (provider, credential) => this.#tell(() => this.#validate(provider, credential))
    };
    this.core = createCore(
      host,
      Object.assign(settingsOf(options, options), { affinity, leaseTtlMs })
    ), seed2 !== void 0 && this.core.seed(String(seed2));
    for (let name of Object.keys(options.credentials ?? {})) this.#loadInline(name);
    this.#constructed = !0;
  }
  /** Does what belongs to a constructor: what there is to tell is told right after it. */
  constructing(call) {
    this.#constructed = !1, call(), this.#constructed = !0;
  }
  /** The provider of that name, known from now on. */
  provider(name) {
    let known = this.#byName.get(name);
    if (known !== void 0) return known;
    if (this.assertAlive(), typeof name != "string" || name === "")
      throw invalidOption("provider", name, "must be a text that is not empty");
    let { providers = {}, credentials = {} } = this.#options, own = Object.hasOwn(providers, name) ? providers[name] ?? {} : {}, index = checked(() => this.core.provider(name, settingsOf(this.#options, own))), chosen = own.strategy ?? this.#options.strategy, custom = typeof chosen == "function" ? chosen : void 0, inline = Object.hasOwn(credentials, name), longestWaitMs = waitOf(this.#options, own), provider = new Provider(name, index, custom, inline, longestWaitMs);
    return this.#byName.set(name, provider), this.#byIndex[index] = provider, provider;
  }
  /** Takes other options of providers from now on; their rows are loaded anew. Health is kept. */
  reconfigure(options) {
    checkOptions(options), this.#options = options;
    let { providers = {} } = options;
    for (let provider of this.#byName.values()) {
      if (provider.isGone = !Object.hasOwn(providers, provider.name), provider.isGone) continue;
      let own = providers[provider.name] ?? {};
      this.timed(() => this.core.configure(provider.index, settingsOf(options, own))), provider.longestWaitMs = waitOf(options, own);
    }
    this.invalidate();
  }
  /** What kept the core from answering: the clock, or random numbers. */
  faultOf(code) {
    if (code === BAD_CLOCK) return this.clock.error();
    if (code === NO_RANDOMNESS)
      return new KeyrotaError(
        "randomness_unavailable",
        "this platform gives random numbers only inside a request handler: choose there, or pass seed"
      );
  }
  /** The provider of that number. */
  providerAt(index) {
    return this.#byIndex[index];
  }
  /** How many credentials the providers have, as far as they are loaded. */
  get size() {
    let size = 0;
    for (let provider of this.#byName.values()) provider.isGone || (size += provider.size);
    return size;
  }
  /** Whose rules read the outcomes of a provider. */
  dialectOf(name) {
    let { providers = {}, dialect: dialect2 = name } = this.#options;
    return (Object.hasOwn(providers, name) ? providers[name]?.dialect : void 0) ?? dialect2;
  }
  /** A number for the attempts of one request. */
  nextRequest() {
    return this.#requests = this.#requests % LAST_REQUEST + 1, this.#requests;
  }
  /** A random part of a wait, so that not all who wait for one key come back in the same instant. */
  spread(ms) {
    return this.#disposed ? 0 : this.core.spread(ms);
  }
  /** Goes on where a snapshot was taken. */
  restore(snapshot) {
    this.assertAlive();
    let unknown = providerNames(snapshot).filter((name) => !this.#byName.has(name));
    if (unknown.length > 0) {
      this.timed(() => this.core.checkSnapshot(snapshot));
      for (let name of unknown) this.provider(name);
    }
    this.timed(() => this.core.restore(snapshot));
  }
  /** The providers seen so far. */
  providers() {
    return this.#byName.values();
  }
  /** Loads the provider's rows unless they are loaded; a promise when that takes time. */
  ensureLoaded(provider) {
    if (provider.loading !== void 0) return provider.loading.done;
    if (this.core.isLoaded(provider.index)) return;
    let loading = this.#load(provider);
    if (!isPromise(loading)) {
      if (this.core.isLoaded(provider.index)) return;
      throw loadFailed(provider.name, new Error(ALWAYS_INVALIDATED));
    }
    let abandon = () => {
    }, done = new Promise((resolve, reject) => {
      abandon = resolve;
      let forget = () => {
        provider.loading?.done === done && (provider.loading = void 0);
      };
      loading.finally(forget).then(resolve, reject);
    });
    return provider.loading = { done, abandon }, done;
  }
  /** Waits until the provider's rows are loaded, however often they are invalidated meanwhile. */
  async loaded(provider) {
    for (let round = 1; !this.core.isLoaded(provider.index); round++) {
      if (round > MOST_ROUNDS) throw loadFailed(provider.name, new Error(ALWAYS_INVALIDATED));
      await this.ensureLoaded(provider), this.assertAlive();
    }
  }
  /** Drops the loaded rows of one provider or of all; the next call loads anew. Health is kept. */
  invalidate(name) {
    this.assertAlive();
    let chosen = name === void 0 ? this.#byName.values() : [this.provider(name)];
    for (let provider of chosen)
      this.core.invalidate(provider.index), this.#abandonLoad(provider);
  }
  /** The provider and number of a credential that is known by now. */
  find(id) {
    if (this.assertAlive(), typeof id != "string") throw invalidOption("id", id, "must be a text");
    for (let provider of this.#byName.values()) {
      let number2 = provider.isGone ? void 0 : provider.numberOf(id);
      if (number2 !== void 0) return { provider, number: number2 };
    }
    throw new KeyrotaError("unknown_credential", `no loaded credential has the id '${id}'`, {
      credential: id
    });
  }
  /** Picks a secret without a lease, for callers who report by session; `undefined` when none can serve. */
  pick(name, session) {
    let provider = this.provider(name);
    hashSession(session);
    let number2 = this.core.pick(provider.index, low, high), fault = this.faultOf(number2);
    if (fault?.code === "invalid_clock") throw fault;
    return number2 < 0 ? void 0 : provider.secrets[number2];
  }
  /** Applies a failure to the credential that the session is on; answers whether it meant anything. */
  reportSession(name, session, status) {
    let provider = this.provider(name);
    hashSession(session);
    let { low: low2, high: high2 } = session_exports;
    return this.timed(() => this.core.reportSession(provider.index, low2, high2, status));
  }
  /** Applies a success to the credential that the session got last. */
  succeedSession(session) {
    hashSession(session), this.timed(() => this.core.succeedSession(low, high));
  }
  /** Forgets which credentials the session was on. */
  releaseSession(session) {
    return this.assertAlive(), hashSession(session), this.core.releaseSession(low, high);
  }
  /** Whether the credential has got another secret since this one was refused. */
  async hasOtherSecret(name, id, secret) {
    let provider = this.provider(name), number2 = provider.numberOf(id);
    return number2 === void 0 ? !1 : (await Promise.race([provider.refreshing.get(number2), this.#ended]), !this.#disposed && provider.secrets[number2] !== secret);
  }
  /** Waits until the storage callback has answered for every credential of the provider. */
  async disablesSettled(name) {
    await Promise.all(this.provider(name).disabling.values());
  }
  /** Calls the core, and tells what was wrong with the clock if it was. */
  timed(call) {
    this.assertAlive();
    try {
      return checked(call);
    } catch (error) {
      throw error instanceof KeyrotaError && error.code === "invalid_clock" ? this.clock.error() : error;
    }
  }
  assertAlive() {
    if (this.#disposed) throw new KeyrotaError("disposed", "the pool was disposed");
  }
  get disposed() {
    return this.#disposed;
  }
  dispose() {
    if (!this.#disposed) {
      this.#disposed = !0, this.#end(), this.listeners.clear();
      for (let provider of this.#byName.values()) this.#abandonLoad(provider);
      this.#byName.clear(), this.#byIndex.length = 0, queueMicrotask(() => this.core.free());
    }
  }
  /** Whoever waits for the load asks for another one. */
  #abandonLoad(provider) {
    let { loading } = provider;
    provider.loading = void 0, loading?.abandon();
  }
  /** Rows of the options are checked at once; one that breaks a rule throws. */
  #loadInline(name) {
    let provider = this.provider(name);
    this.ensureLoaded(provider)?.catch(() => {
    });
  }
  #load(provider) {
    let generation = this.core.generation(provider.index);
    return andThen(
      rowsOf(provider, this.#options),
      (rows) => this.#land(provider, generation, rows)
    );
  }
  /** Hands rows to the core. Rows that were asked for before an invalidation come too late. */
  #land(provider, generation, { rows, isFallback }) {
    this.assertAlive();
    let plain = rows.map(({ row }) => row), held = [];
    this.#held = held;
    let loaded;
    try {
      loaded = this.timed(() => this.core.load(provider.index, generation, plain));
    } finally {
      this.#held = void 0;
    }
    if (loaded === void 0) {
      for (let tell2 of held) tell2();
      return;
    }
    provider.isFallback = isFallback, provider.forgetNames(), loaded.credentials.forEach((number2, at) => {
      let prepared = rows[at];
      if (number2 < 0 || prepared === void 0) return;
      let { id, label } = prepared.row;
      provider.keep(number2, { id: id.trim(), label: label ?? null }, prepared);
    });
    for (let tell2 of held) tell2();
    let { name, inline } = provider, { invalid } = loaded;
    provider.invalid = invalid.map(({ id }) => id);
    let [first] = invalid, tell = () => {
      if (this.#tellUnresolved(provider), !inline)
        for (let { id, field, rule: rule2 } of invalid)
          this.listeners.emit("invalid_credential", { provider: name, credential: id, field, rule: rule2 });
    };
    if (this.#constructed ? tell() : queueMicrotask(tell), inline && first !== void 0) throw invalidInline(name, first.row, first.field, first.rule);
  }
  #tellUnresolved({ name, credentials, unresolved }) {
    for (let [number2, why] of unresolved) {
      let credential = credentials[number2]?.id ?? "";
      this.listeners.emit("secret_unresolved", { provider: name, credential, ...why });
    }
  }
  #tell(tell) {
    this.#held === void 0 ? tell() : this.#held.push(tell);
  }
  #emit({ type, ...event }) {
    this.listeners.emit(type, event);
  }
  /** Asks the app for a new secret in place of one that was refused. */
  #refresh(index, number2) {
    let provider = this.#byIndex[index];
    provider !== void 0 && askForSecret(this, this.#options.refresh, provider, number2);
  }
  /** Has a blacklisted key tried, where the app says how. */
  #validate(index, number2) {
    let provider = this.#byIndex[index], { validate } = this.#options;
    provider !== void 0 && validate !== void 0 && this.validate(provider, number2, validate);
  }
  /** Asks the app's storage to keep a credential disabled. */
  #disable(index, number2, why) {
    let provider = this.#byIndex[index];
    provider !== void 0 && keepDisabled(this, this.#options.disable, provider, number2, why);
  }
}, LAST_REQUEST = 2147483647;
function providerNames(snapshot) {
  let { providers } = snapshot ?? {};
  return Array.isArray(providers) ? providers.map((provider) => provider?.name).filter((name) => typeof name == "string" && name !== "") : [];
}

// js/lease.ts
var REASONS = [
  "strategy",
  "affinity",
  "rebound",
  "lodging",
  "continuation",
  "fail_open",
  "probe",
  "overflow"
], OK = /* @__PURE__ */ Promise.resolve(
  /* @__PURE__ */ Object.freeze({
    class: "ok",
    scope: "none",
    waitMs: null,
    waitFrom: null,
    evidence: "status",
    disable: !1,
    retryOther: !1
  })
), Lease = class _Lease {
  static {
    Object.defineProperty(_Lease.prototype, /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom"), {
      value(_2, options, inspect) {
        return `Lease ${inspect(this.toJSON(), options)}`;
      }
    });
  }
  #engine;
  #provider;
  #id;
  #reason;
  /** Kept from the grant, since a later load may give its number to another. */
  #credential;
  #secret;
  #number;
  #model;
  #verdict;
  #phase = "response";
  /** @internal */
  constructor(engine, provider, id, granted, model) {
    this.#engine = engine, this.#provider = provider, this.#id = id, this.#reason = granted & 7, this.#number = granted >>> 3, this.#model = model, this.#credential = provider.credentials[this.#number], this.#secret = provider.secrets[this.#number];
  }
  /** Tells a lease from a refusal. */
  get ok() {
    return !0;
  }
  /** The provider's name. */
  get provider() {
    return this.#provider.name;
  }
  /** Who serves: id and label. */
  get credential() {
    return this.#credential;
  }
  /** Why this one. */
  get reason() {
    return REASONS[this.#reason];
  }
  /** The key itself. Put it into a header, and nowhere else. */
  get secret() {
    return this.#secret;
  }
  /** Whether it was reported or released. */
  get settled() {
    return this.#verdict !== void 0;
  }
  /** How far the attempt had come when it ended. @internal */
  get phase() {
    return this.#phase;
  }
  /**
   * Ends the lease with what came back; the credential rests, recovers or is disabled accordingly.
   *
   * @remarks
   * Only the first report counts; a later one answers the same verdict. A report about a credential
   * that was replaced or brought back since changes nothing. Of a `Response` a clone is read, at most
   * 64 KB and only if it is an error or plain JSON: report it before its body is used. A streamed
   * response settles on its status and headers.
   *
   * @param outcome - a `Response`, what `fetch` or an SDK threw, or `{ status, headers, body }`
   * @returns what it means
   * @throws {@link KeyrotaError} `invalid_option` when it is none of these; the lease goes on
   */
  report(outcome) {
    if (this.#verdict !== void 0) return this.#verdict;
    let verdict = this.#settle(outcome) ? OK : this.#judge(outcome);
    return this.#verdict = verdict, verdict;
  }
  /** The short way, for a success that changes nothing. */
  #settle(outcome) {
    let { core, disposed } = this.#engine;
    try {
      let status = statusOf(outcome);
      return status !== void 0 && !disposed && !mayHideError(outcome) && core.settle(this.#id, status) ? (this.#engine.freed(this.#provider), !0) : !1;
    } catch {
      return !1;
    }
  }
  /** What comes before the first `await` happens at once: the credential rests when this returns. */
  async #judge(outcome) {
    try {
      let facts = readOutcome(outcome), unread = unreadBody(outcome);
      unread !== void 0 && withBody(facts, await unread), this.#model !== void 0 && (facts.model = this.#model), hideSecret(facts, this.#secret), this.#phase = facts.phase ?? this.#phase;
      let engine = this.#engine, verdict = engine.timed(
        () => engine.core.report(this.#id, this.#provider.index, facts)
      );
      return engine.wake(this.#provider), verdict;
    } catch (error) {
      throw queueMicrotask(() => {
        this.#verdict = void 0;
      }), error;
    }
  }
  /**
   * Remembers that this credential made a response, so that a request which `continues` it goes to the
   * same credential and to no other.
   *
   * @param responseId - the provider's id of the response, conversation or file
   */
  remember(responseId) {
    let engine = this.#engine;
    if (responseId === void 0) throw invalidOption("responseId", responseId, "must be a text");
    hashSession(responseId, "responseId");
    let { low: low2, high: high2 } = session_exports;
    engine.timed(() => engine.core.remember(this.#provider.index, low2, high2, this.#number));
  }
  /** Ends the lease without a verdict: nothing is known, and nobody is to blame. */
  release() {
    this.#verdict === void 0 && (this.#verdict = OK, !this.#engine.disposed && (this.#engine.core.release(this.#id), this.#engine.freed(this.#provider)));
  }
  /** {@link Lease.release}, for `using`. */
  [Symbol.dispose]() {
    this.release();
  }
  /** {@link Lease.release}, for `await using`. */
  async [Symbol.asyncDispose]() {
    this.release();
  }
  /** Id, provider and reason; never the secret. */
  toJSON() {
    return { provider: this.provider, credential: this.credential, reason: this.reason };
  }
};

// js/explanation.ts
function withVariables(explanation, provider) {
  return { ...explanation, candidates: variablesOf(explanation.candidates, provider) };
}
function variablesOf(candidates, provider) {
  return provider.unresolved.size === 0 ? candidates : candidates.map((candidate) => {
    if (candidate.reason !== "secret_unresolved") return candidate;
    let why = provider.unresolved.get(provider.numberOf(candidate.id) ?? -1);
    return { ...candidate, field: "secret", rule: why?.message ?? null };
  });
}
function withoutChoice(explanation) {
  let candidates = explanation.candidates.map(
    (candidate) => candidate.reason === "chosen" ? { ...candidate, reason: "available" } : candidate
  );
  return { ...explanation, choice: null, candidates };
}

// js/listening.ts
function listen(engine, event, listener) {
  let { core, listeners } = engine;
  engine.assertAlive(), checkListener(event, listener);
  let remove = listeners.add(event, listener);
  return core.listen(!0), () => {
    remove(), engine.disposed || core.listen(listeners.has());
  };
}
function tellAcquired({ listeners }, lease) {
  if (!listeners.has("acquired")) return;
  let { provider, reason, credential } = lease;
  listeners.emit("acquired", { provider, credential: credential.id, reason });
}

// js/run.ts
var MOST_PAUSE_MS = 2500, EMPTY = /* @__PURE__ */ Object.freeze({
  class: "server_error",
  scope: "request",
  waitMs: null,
  waitFrom: null,
  evidence: "status",
  disable: !1,
  retryOther: !0
}), Underway = class {
  /** By it the pool of one entry knows what another entry made, whose class is another. */
  isUnderway = !0;
  /** What `run` hands over. */
  value;
  constructor(value) {
    this.value = value;
  }
}, EmptyAnswer = class {
  /** By it the pool of one entry knows what another entry made, whose class is another. */
  isEmptyAnswer = !0;
  /** What `run` hands over. */
  value;
  constructor(value) {
    this.value = value;
  }
};
function isUnderway(value) {
  return value?.isUnderway === !0;
}
function isMarkedEmpty(value) {
  return value?.isEmptyAnswer === !0;
}
function attemptsOf({ maxAttempts }) {
  let isCount = Number.isInteger(maxAttempts) || maxAttempts === 1 / 0;
  if (maxAttempts !== void 0 && !(isCount && maxAttempts >= 1))
    throw invalidOption("maxAttempts", maxAttempts, "must be a whole number of 1 or more");
  return maxAttempts;
}
async function run(host, options, attempt2) {
  let { retry, retryEmptyResponses = !1 } = options, failed = [], ending;
  for (let count = 1; ; count++) {
    let lease = await next(host, options, failed).catch((error) => {
      if (!(ending !== void 0 && isKeyrotaError(error)))
        throw discard(ending), error;
    });
    if (lease === void 0) break;
    discard(ending);
    let made = await end(lease, count, attempt2);
    if ("underway" in made) return made.underway;
    ending = made;
    let verdict = await verdictOn(lease, ending).catch(() => lease.release()) ?? (await isEmpty(ending, retryEmptyResponses) ? EMPTY : void 0);
    if (verdict === void 0) break;
    failed.push(lease);
    let { class: kind, scope, retryOther } = verdict, phase = verdict === EMPTY ? "before_content" : lease.phase;
    if (!host.plan.attempted(host.size(), kind, scope, retryOther, phase) || retry?.(verdict, count) === !1) break;
  }
  if (ending !== void 0 && "value" in ending) return ending.value;
  throw ending?.thrown;
}
async function attemptOnce(lease, attempt2) {
  let ending = await end(lease, 1, attempt2);
  try {
    return await verdictOn(lease, ending) ?? await lease.report({ status: 200 });
  } finally {
    lease.release();
  }
}
async function next(host, { maxWaitMs, signal: signal2 }, failed) {
  let leastWaitMs = maxWaitMs === void 0 ? MOST_PAUSE_MS : 0;
  try {
    return await host.acquire(leastWaitMs);
  } catch (error) {
    if (!isKeyrotaError(error, "no_credential_available")) throw error;
    let renewed = [];
    for (let number2 of host.plan.refused())
      await abortable(host.hasOtherSecret(failed[number2]), signal2) && renewed.push(number2);
    if (!host.plan.forgive(Uint32Array.from(renewed))) throw error;
    return host.acquire(leastWaitMs);
  }
}
function discard(ending) {
  let body2 = (ending !== void 0 && "value" in ending ? ending.value : void 0)?.body;
  typeof body2?.cancel == "function" && body2.locked === !1 && body2.cancel().catch(() => {
  });
}
async function end(lease, count, attempt2) {
  try {
    let answer = await attempt2(lease, count);
    return isUnderway(answer) ? { underway: answer.value } : isMarkedEmpty(answer) ? { value: answer.value, isEmpty: !0 } : { value: answer, isEmpty: !1 };
  } catch (thrown) {
    return { thrown };
  }
}
async function verdictOn(lease, ending) {
  if ("thrown" in ending) {
    let outcome = typeof ending.thrown == "object" && ending.thrown !== null ? ending.thrown : {};
    return lease.report(outcome);
  }
  let value = "value" in ending ? ending.value : void 0, verdict = await lease.report(statusOf(value) === void 0 ? { status: 200 } : value);
  return verdict.class === "ok" ? void 0 : verdict;
}
async function isEmpty(ending, looks) {
  if (!("value" in ending) || ending.isEmpty || !looks) return "value" in ending && ending.isEmpty;
  let { value } = ending;
  if (typeof value != "object" || value === null) return !1;
  let { body: body2 } = value, { text: text4, isCut } = await unreadBody(value) ?? startOf(isPlain(body2) ? body2 : void 0);
  return isEmptyAnswer(value) || !isCut && isEmptyText(text4);
}
function isPlain(body2) {
  return typeof body2?.getReader != "function";
}

// js/probe.ts
async function probe(engine, id, send) {
  let { provider, number: number2 } = engine.find(id), granted = engine.core.acquireProbe(provider.index, number2);
  if (granted === NONE_AVAILABLE) {
    let why = provider.unresolved.get(number2)?.message ?? "it has no secret", facts = { provider: provider.name, credential: id, retryAfterMs: null };
    throw new KeyrotaError("no_credential_available", `'${id}' cannot be probed: ${why}`, facts);
  }
  let fault = engine.faultOf(granted);
  if (fault !== void 0) throw fault;
  return tryOut(engine, provider, number2, granted, send);
}
function validateWith(engine) {
  engine.validate = (provider, number2, send) => {
    let granted = engine.core.acquireProbe(provider.index, number2);
    granted < 0 || tryOut(engine, provider, number2, granted, send).catch(() => {
    });
  };
}
async function tryOut(engine, provider, number2, granted, send) {
  let lease = new Lease(engine, provider, granted, engine.core.granted(), void 0);
  tellAcquired(engine, lease);
  let verdict = await attemptOnce(lease, send);
  return verdict.class === "ok" && provider.stored.delete(number2), verdict;
}

// js/refusal.ts
var SHOWN = 3, Refusal = class {
  /** `not_loaded`: use `acquire`, which loads. */
  code;
  provider;
  /** How long until a credential is back, in milliseconds; `null` when time alone does not help. */
  retryAfterMs;
  /** Whether one could serve now, were it not for a cap: the end of an attempt helps. */
  atCapacity;
  #explain;
  /** @internal */
  constructor(code, provider, retryAfterMs, atCapacity, explain) {
    this.code = code, this.provider = provider, this.retryAfterMs = retryAfterMs, this.atCapacity = atCapacity, this.#explain = explain;
  }
  /** Tells a refusal from a lease. */
  get ok() {
    return !1;
  }
  /** Why each credential is passed over at this moment. */
  get explanation() {
    return this.#explain();
  }
  /** The refusal as an error to throw. */
  toError() {
    let { code, provider, retryAfterMs } = this, facts = { provider, retryAfterMs, explanation: this.explanation };
    return new KeyrotaError(code, this.#message(facts.explanation), facts);
  }
  #message({ candidates }) {
    if (this.code === "not_loaded") return `provider '${this.provider}' is not loaded`;
    if (candidates.length === 0) return `provider '${this.provider}' has no credentials`;
    let counts = /* @__PURE__ */ new Map();
    for (let { reason } of candidates) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    let reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).join(", "), next2 = this.retryAfterMs === null ? "" : `; the next one is back in ${this.retryAfterMs} ms`, missing = candidates.filter(({ reason }) => reason === "secret_unresolved").slice(0, SHOWN).map(({ id, rule: rule2 }) => `; ${id}: ${rule2}`);
    return `no credential of '${this.provider}' is available (${reasons})${next2}${missing.join("")}`;
  }
};

// js/request.ts
var FRESH = [0, 0, 0];
function modelOf({ model }) {
  if (model === void 0 || typeof model == "string") return model;
  throw invalidOption("model", model, "must be a text");
}
function numbers(provider, request, planned) {
  let { session, continues, tried = [] } = request;
  if (!Array.isArray(tried)) throw invalidOption("tried", tried, "must be a list of ids");
  let numbersTried = tried.map((id) => provider.numberOf(id)).filter((at) => at !== void 0);
  hashSession(session);
  let { low: low2, high: high2 } = session_exports;
  hashSession(continues, "continues");
  let asked = planned?.plan.asked(provider.index) ?? FRESH, number2 = planned?.number ?? 0;
  return Uint32Array.of(low2, high2, low, high, number2, ...asked, ...numbersTried);
}

// js/strategy.ts
function ask(strategy2, provider, candidates, request, rows) {
  let ids = new Set(candidates.map((number3) => provider.credentials[number3]?.id)), shown = rows().filter(({ id }) => ids.has(id)).map(({ id, label, weight, inFlight, picks }) => ({ id, label, weight, inFlight, picks })), facts = { provider: provider.name }, chosen;
  try {
    chosen = strategy2(shown, request);
  } catch (error) {
    throw new KeyrotaError("strategy_failed", "the strategy function threw", facts, error);
  }
  let number2 = ids.has(chosen) ? provider.numberOf(chosen) : void 0;
  if (number2 !== void 0) return number2;
  let message = "the strategy function must answer the id of one of its candidates";
  throw new KeyrotaError("strategy_failed", message, facts);
}

// js/waiting.ts
var Waiting = class {
  #engine;
  #waiters = /* @__PURE__ */ new Set();
  constructor(engine) {
    this.#engine = engine, engine.wake = (provider) => this.wake(provider), engine.freed = (provider) => {
      this.#waiters.size > 0 && this.wake(provider, !0);
    };
  }
  /**
   * Asks for a lease until there is one, as long as the next credential is back in time, or an attempt that
   * ends in time may make room.
   *
   * @throws the refusal as an error; the signal's reason
   */
  async until(ask2, patience) {
    let waited = 0;
    for (let round = 1; ; round++) {
      patience.signal?.throwIfAborted();
      let asked = ask2(), answer = asked instanceof Promise ? await asked : asked;
      if (answer.ok) return answer;
      let { code, retryAfterMs, atCapacity } = answer;
      if ((code === "not_loaded" || atCapacity && asked instanceof Promise) && round < MOST_ROUNDS) continue;
      if (code === "not_loaded") throw answer.toError();
      let left = patience.maxWaitMs - waited;
      if (atCapacity ? left <= 0 : retryAfterMs === null || retryAfterMs > left)
        throw answer.toError();
      let wait = retryAfterMs ?? Number.POSITIVE_INFINITY;
      waited += await this.#sleep(wait, left, patience, atCapacity);
    }
  }
  /**
   * Ends the waits for one provider, or all, since something changed that may help.
   *
   * @param roomOnly - only those whom the end of an attempt helps
   */
  wake(provider, roomOnly = !1) {
    for (let waiter of [...this.#waiters])
      (provider === void 0 || waiter.provider === void 0 || waiter.provider === provider) && (waiter.forRoom || !roomOnly) && waiter.wake();
  }
  /** Waits, and answers how long: by the timer where the pool's clock stands still. */
  async #sleep(until, left, { provider, signal: signal2 }, forRoom) {
    let { clock, core } = this.#engine, began = clock.now(), expiry = forRoom ? core.nextExpiry() : -1, ms = forRoom ? Math.min(until, left, expiry < 0 ? until : expiry) : until, spread = forRoom ? 0 : this.#engine.spread(ms), counted = await sleep(ms + spread, signal2, (wake) => {
      let waiter = { provider, wake, forRoom };
      return this.#waiters.add(waiter), () => this.#waiters.delete(waiter);
    }), passed = clock.now() - began;
    return Math.min(passed > 0 ? passed : counted, ms);
  }
};

// js/pool.ts
var KeyPool = class {
  #engine;
  #waiting;
  /**
   * Makes a pool. Nothing is loaded yet but what stands in `credentials`.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path;
   * `wasm_blocked` or `unsupported_engine` when WebAssembly cannot be used here
   */
  constructor(options) {
    this.#engine = new Engine(options), this.#waiting = new Waiting(this.#engine), validateWith(this.#engine);
  }
  /**
   * Leases a credential for one attempt, loading the provider's rows first if need be.
   *
   * @throws {@link KeyrotaError} `no_credential_available` when none can serve within `maxWaitMs`: its
   * `retryAfterMs` and `explanation` say when and why. `load_failed` and `invalid_rows` when the
   * loader failed: nothing was cached, so the next call asks again
   * @throws the signal's reason, if `signal` aborts first
   */
  async acquire(options) {
    return calls.acquire(options), this.#acquire(options, 0);
  }
  /** `planned` is what all attempts of one request share; a request of one attempt has none. */
  async #acquire(options, leastWaitMs, planned) {
    let { signal: signal2 } = options, provider = this.#engine.provider(options.provider), asked = milliseconds("maxWaitMs", options.maxWaitMs, provider.longestWaitMs), tryNow = () => this.#tryAcquire(options, planned), ask2 = () => {
      let loading = this.#engine.ensureLoaded(this.#engine.provider(options.provider));
      return loading === void 0 ? tryNow() : abortable(loading, signal2).then(tryNow);
    };
    return this.#waiting.until(ask2, { provider, signal: signal2, maxWaitMs: Math.max(asked, leastWaitMs) });
  }
  /**
   * Leases a credential at once, or says why not. The provider must be loaded: see {@link KeyPool.load}.
   *
   * @returns a lease or a refusal, told apart by `ok`
   */
  tryAcquire(request) {
    if (request == null)
      throw invalidOption("request", request, "must be an object");
    return this.#tryAcquire(request);
  }
  #tryAcquire(request, planned) {
    let { core } = this.#engine, provider = this.#engine.provider(request.provider), model = this.#model(provider, request);
    if (provider.strategy !== void 0)
      return this.#acquireByFunction(provider, request, provider.strategy, planned);
    let { tried, continues } = request;
    if (model || tried && tried.length !== 0 || continues !== void 0 || planned) {
      let asked = numbers(provider, request, planned), id2 = core.acquireFiltered(provider.index, model, asked);
      return this.#answer(provider, id2, request, asked, planned);
    }
    hashSession(request.session);
    let id = core.acquire(provider.index, low, high);
    return id >= 0 ? this.#grant(provider, id, request) : this.#refuse(provider, id, request);
  }
  /** The model, if it can make a difference to the choice. */
  #model(provider, request) {
    let model = modelOf(request);
    return model !== void 0 && this.#engine.core.mindsModels(provider.index) ? model : void 0;
  }
  /** Loads a provider's rows now rather than at the first {@link KeyPool.acquire}. */
  async load(provider) {
    await this.#engine.loaded(this.#engine.provider(provider));
  }
  /**
   * Makes one request with fail-over: acquires, calls `attempt`, reports, and tries another credential
   * while that can help and is safe.
   *
   * @remarks
   * `attempt` answers a `Response` (or anything with a `status`), or throws what an SDK throws; both
   * are read. Turn off the SDK's own retries. Each credential is tried once; one that was not to blame
   * may be tried again when nobody else is left. After a failure a lower `priority` comes before the rest
   * of the same one, and none above again. A short pause of the provider is waited out.
   *
   * @returns what the last attempt answered
   * @throws what the last attempt threw; what {@link KeyPool.acquire} throws when there was none
   */
  async run(options, attempt2) {
    calls.run(options, attempt2);
    let engine = this.#engine, asked = engine.provider(options.provider), plan = createPlan(attemptsOf(options), options.idempotent === !0), planned = { number: engine.nextRequest(), plan }, host = {
      plan,
      acquire: (leastWaitMs) => this.#acquire(options, leastWaitMs, planned),
      size: () => asked.size,
      hasOtherSecret: ({ provider, credential, secret }) => engine.hasOtherSecret(provider, credential.id, secret)
    };
    try {
      return await run(host, options, attempt2);
    } finally {
      plan.free();
    }
  }
  /**
   * Finds out whether a credential works, whatever is known of it: one that rests, or that a verdict
   * disabled, too. A success ends its rests and brings it back, also from the blacklist, unless it is a
   * subscription: {@link KeyPool.recover} is for that. What a person switched off stays off. It is an attempt
   * like any other, and no `maxConcurrent` stops it.
   *
   * @param id - the credential's id
   * @param send - makes one attempt with `lease.secret`; answers or throws as in {@link KeyPool.run}
   * @returns what the attempt means
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id;
   * `no_credential_available` when it has no secret
   *
   * @example A button that tests one key
   * ```ts
   * const verdict = await pool.probe('team-key', (lease) =>
   *   fetch('https://api.openai.com/v1/models', { headers: { authorization: `Bearer ${lease.secret}` } }),
   * )
   * ```
   */
  async probe(id, send) {
    return calls.probe(send), probe(this.#engine, id, send);
  }
  /**
   * Says which credential a request would get now, and why each other one is passed over. It changes
   * nothing.
   */
  explain(request) {
    return calls.explain(request), this.#explain(request);
  }
  #explain(request, known) {
    let engine = this.#engine, provider = engine.provider(request.provider), asked = known ?? numbers(provider, request, void 0), explanation = engine.timed(
      () => engine.core.explain(provider.index, modelOf(request), asked)
    ), told = withVariables(explanation, provider);
    return provider.strategy === void 0 ? told : withoutChoice(told);
  }
  /** What is known of each credential of a provider, by priority, then in order. */
  status(provider) {
    let { index } = this.#engine.provider(provider);
    return this.#engine.timed(() => this.#engine.core.status(index));
  }
  /**
   * Brings a credential back by a person's word, with clean health: off the blacklist, whatever was counted
   * towards it forgotten, its rests ended with those of its models and its quota group, and a verdict against
   * it lifted. What is `enabled: false` stays off.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  recover(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    provider.stored.delete(number2), this.#engine.timed(() => this.#engine.core.recover(provider.index, number2)), this.#waiting.wake();
  }
  /**
   * Takes in that a quota or a balance is there again: ends the rests that it caused, of the credential,
   * its models and its quota group, and its blacklisting. Other rests keep their time.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  recoverQuota(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    this.#engine.timed(() => this.#engine.core.recoverQuota(provider.index, number2)), this.#waiting.wake();
  }
  /**
   * Ends every rest of a credential, those of its models and of its quota group too. One that is blacklisted
   * or disabled stays so.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  reset(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    this.#engine.timed(() => this.#engine.core.reset(provider.index, number2)), this.#waiting.wake();
  }
  /**
   * Brings a disabled or blacklisted credential back with clean health. If the app's storage has it disabled, change
   * it there too: the next load counts.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  enable(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    provider.stored.delete(number2), this.#engine.timed(() => this.#engine.core.enable(provider.index, number2)), this.#waiting.wake();
  }
  /** Drops the loaded rows of one provider, or of all: the next call loads anew. Health is kept. */
  invalidate(provider) {
    this.#engine.invalidate(provider), this.#waiting.wake();
  }
  /**
   * Whose rules read the answers of a provider: what its options or the pool's say, else its own name.
   *
   * @example The place of a key follows the dialect, whatever a team calls its provider
   * ```ts
   * const header = pool.dialectOf('team-a') === 'anthropic' ? 'x-api-key' : 'authorization'
   * ```
   */
  dialectOf(provider) {
    return this.#engine.dialectOf(provider);
  }
  /** Forgets which credentials a session was on; answers whether any was known. */
  releaseSession(session) {
    return this.#engine.releaseSession(session);
  }
  /**
   * Calls `listener` whenever the event happens.
   *
   * @returns what removes the listener
   */
  on(event, listener) {
    return listen(this.#engine, event, listener);
  }
  /** Health, order and sessions as JSON, without secrets and rows, to go on after a restart. */
  snapshot() {
    return this.#engine.timed(() => this.#engine.core.snapshot());
  }
  /**
   * Goes on where a snapshot was taken. Rows stay loaded; leases in flight end without a verdict.
   *
   * @throws {@link KeyrotaError} `snapshot_malformed` or `snapshot_newer_version`; the pool is as it was
   */
  restore(snapshot) {
    this.#engine.restore(snapshot), this.#waiting.wake();
  }
  /** Frees the pool's memory. Every later call throws `disposed`. */
  dispose() {
    this.#engine.dispose(), this.#waiting.wake();
  }
  /** {@link KeyPool.dispose}, for `using`. */
  [Symbol.dispose]() {
    this.dispose();
  }
  /** A lease or a refusal, for a request that asked with these numbers. */
  #answer(provider, id, request, asked, planned) {
    if (id < 0) return this.#refuse(provider, id, request, asked);
    let { core } = this.#engine;
    return planned !== void 0 && core.place(planned.plan, provider.index, core.granted() >>> 3, asked), this.#grant(provider, id, request);
  }
  #grant(provider, id, request) {
    let engine = this.#engine, lease = new Lease(engine, provider, id, engine.core.granted(), request.model);
    return tellAcquired(engine, lease), lease;
  }
  #refuse(provider, code, request, asked) {
    let fault = this.#engine.faultOf(code);
    if (fault !== void 0) throw fault;
    let explain = () => this.#explain(request, asked);
    if (code === NOT_LOADED) return new Refusal("not_loaded", provider.name, null, !1, explain);
    let { core } = this.#engine, wait = core.retryAfter(), retryAfterMs = wait < 0 ? null : wait, isFull = core.atCapacity();
    return new Refusal("no_credential_available", provider.name, retryAfterMs, isFull, explain);
  }
  #acquireByFunction(provider, request, strategy2, planned) {
    let { core } = this.#engine, timed = (call) => this.#engine.timed(call), model = this.#model(provider, request), asked = numbers(provider, request, planned), candidates = [...timed(() => core.candidates(provider.index, model, asked))];
    if (candidates.length === 0) {
      let id2 = core.acquireFiltered(provider.index, model, asked);
      return this.#answer(provider, id2, request, asked, planned);
    }
    let home = timed(() => core.home(provider.index, model, asked)), rows = () => this.status(provider.name), chosen = home >= 0 ? home : ask(strategy2, provider, candidates, request, rows), id = core.acquireChosen(provider.index, chosen, model, asked);
    return id !== NONE_AVAILABLE ? this.#answer(provider, id, request, asked, planned) : core.isLoaded(provider.index) ? this.#acquireByFunction(provider, request, strategy2, planned) : this.#refuse(provider, NOT_LOADED, request, asked);
  }
};

// js/routed-lease.ts
var RoutedLease = class extends Lease {
  #routed;
  #isTold = !1;
  /** @internal */
  constructor(engine, provider, id, granted, routed) {
    super(engine, provider, id, granted, routed.upstreamModel), this.#routed = routed;
  }
  /** The id of the group. */
  get group() {
    return this.provider;
  }
  /** What the group's provider calls the model: put it into the request. `undefined` when none is asked for. */
  get upstreamModel() {
    return this.#routed.upstreamModel;
  }
  report(outcome) {
    let verdict = super.report(outcome);
    return this.#isTold || (this.#isTold = !0, verdict.then(
      ({ class: kind }) => kind === "ok" && this.#routed.learn(),
      () => {
        this.#isTold = !1;
      }
    )), verdict;
  }
  release() {
    this.#isTold = !0, super.release();
  }
  remember(responseId) {
    super.remember(this.#routed.scope + responseId);
  }
};

// js/route-options.ts
var PROTOCOLS = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini"
], checkProtocol = oneOf(PROTOCOLS), protocols = list(checkProtocol), LAST_MOMENT3 = 864e13, ACCESS_KEY = fields({
  id: text,
  enabled: flag,
  expiresAt: orNull(whole(0, LAST_MOMENT3)),
  protocols: orNull(protocols),
  groups: orNull(list(text)),
  models: orNull(list(text))
}), EXPOSED = fields({ name: text, upstream: text }), exposed = (path, value) => {
  if (typeof value != "string") return EXPOSED(path, value);
  text(path, value);
}, GROUP = fields({
  ...ROUTER.group,
  id: text,
  enabled: flag,
  priority: whole(-2147483648, 2147483647),
  weight: whole(1, 100),
  protocols,
  models: orNull(list(exposed)),
  credentials: list(ROUTER.credential)
}), OPTIONS = fields({
  ...ROUTER.pool,
  accessKeys: list(ACCESS_KEY),
  groups: list(GROUP),
  strategy: oneOf(STRATEGIES),
  continuations: oneOf(["any", "own"]),
  affinity: fields({ enabled: flag, ttlMs: whole(1), capacity: whole(0, 1e7) })
}), NEEDED = {
  accessKey: ["id"],
  group: ["id", "protocols", "credentials"],
  exposed: ["name", "upstream"]
};
function checkRouterOptions(options) {
  OPTIONS("", options ?? null);
  let { accessKeys, groups } = options;
  for (let [path, value] of Object.entries({ accessKeys, groups }))
    if (value === void 0) throw invalidOption(path, value, "must be a list");
  accessKeys.forEach((key, at) => {
    needed(`accessKeys[${at}]`, key, NEEDED.accessKey);
  }), groups.forEach((group, at) => {
    needed(`groups[${at}]`, group, NEEDED.group), checkGroup(`groups[${at}]`, group);
  }), unique("accessKeys", accessKeys), unique("groups", groups), uniqueCredentials(groups);
  let known = new Set(groups.map(({ id }) => id));
  accessKeys.forEach((key, at) => {
    key.groups?.forEach((id, place) => {
      if (!known.has(id))
        throw invalidOption(`accessKeys[${at}].groups[${place}]`, id, "must be the id of a group");
    });
  });
}
function checkGroup(path, { models, protocols: protocols2 }) {
  if (protocols2.length === 0)
    throw invalidOption(`${path}.protocols`, protocols2, "must name a protocol");
  models?.forEach((model, at) => {
    typeof model == "object" && needed(`${path}.models[${at}]`, model, NEEDED.exposed);
  });
}
function needed(path, value, names) {
  for (let name of names) {
    let field = value[name];
    if (field === void 0) throw invalidOption(`${path}.${name}`, field, "must be given");
  }
}
function uniqueCredentials(groups) {
  let seen = /* @__PURE__ */ new Map();
  groups.forEach(({ credentials }, group) => {
    credentials.forEach((credential, at) => {
      let id = typeof credential?.id == "string" ? credential.id.trim() : "", path = `groups[${group}].credentials[${at}].id`, other = seen.get(id);
      if (id !== "" && other !== void 0)
        throw invalidOption(path, id, `must be unique among all groups, and is also ${other}`);
      seen.set(id, path);
    });
  });
}
function unique(path, items) {
  let seen = /* @__PURE__ */ new Set();
  items.forEach(({ id }, at) => {
    if (seen.has(id)) throw invalidOption(`${path}[${at}].id`, id, `must be unique in ${path}`);
    seen.add(id);
  });
}

// js/route-settings.ts
var DEFAULT_WEIGHT = 50, DIALECTS = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  gemini: "gemini"
};
function poolOptions(options) {
  let { accessKeys: _2, affinity: __2, continuations: ___, groups, ...rest } = options, { strategy: strategy2 = "smooth", ...pool } = rest, byId = new Map(groups.map((group) => [group.id, group])), load = (id) => (byId.get(id)?.credentials ?? []).map(weighed), providers = Object.fromEntries(groups.map((group) => [group.id, providerOptions(group)]));
  return { ...pool, strategy: strategy2, load, providers };
}
function providerOptions(group) {
  let { blacklist, cooldown, exhausted, maxConcurrent, probe: probe2, rollback, rules } = group;
  return { ...{ blacklist, cooldown, exhausted, maxConcurrent, probe: probe2, rollback, rules }, dialect: dialectOf(group) };
}
function dialectOf({ dialect: dialect2, id, protocols: protocols2 }) {
  let [first = "openai-chat"] = protocols2;
  return dialect2 ?? (knowsDialect2(id) ? id : DIALECTS[first]);
}
function weighed(credential) {
  return credential.weight === void 0 ? { ...credential, weight: DEFAULT_WEIGHT } : credential;
}
function routeSettings(options, numberOf) {
  let { accessKeys, affinity = {}, continuations, groups, strategy: strategy2 = "smooth" } = options, { enabled = !0, ttlMs, capacity } = affinity;
  return {
    accessKeys: accessKeys.map((key) => ({
      ...key,
      groups: key.groups?.map((id) => ({ provider: numberOf(id) }))
    })),
    groups: groups.map(({ id, enabled: enabled2, priority, weight = DEFAULT_WEIGHT, protocols: protocols2, models }) => ({
      provider: numberOf(id),
      enabled: enabled2,
      priority,
      weight,
      protocols: protocols2,
      models: models?.map((model) => typeof model == "string" ? { name: model, upstream: model } : model)
    })),
    strategy: strategy2,
    continuations,
    affinity: { ttlMs, capacity: enabled ? capacity : 0 }
  };
}
function upstreamNames(groups) {
  let names = groups.map(({ id, models }) => {
    let others = (models ?? []).filter((model) => typeof model == "object");
    return [id, new Map(others.map(({ name, upstream }) => [name, upstream]))];
  });
  return new Map(names);
}

// js/router.ts
var Router = class {
  #engine;
  #waiting;
  #options;
  #accessKeys = /* @__PURE__ */ new Map();
  /** What each group calls the models. */
  #upstream = /* @__PURE__ */ new Map();
  #loading;
  /** The wait of requests for it. */
  #patient;
  /**
   * Makes a router.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path
   */
  constructor(options) {
    checkRouterOptions(options), this.#options = options, this.#engine = new Engine(poolOptions(options)), this.#waiting = new Waiting(this.#engine), validateWith(this.#engine), this.#engine.constructing(() => this.#settle(options));
  }
  /** Settles once the secrets of all groups are resolved; {@link Router.run} waits for that by itself. */
  async ready() {
    for (; this.#loading !== void 0; ) await this.#loading;
  }
  /** Settles with {@link Router.ready}, or once secrets have had their time: then those serve that are there. */
  #soon() {
    let loading = this.#loading;
    return this.#patient ??= within(this.ready(), SECRETS_MS).finally(() => {
      this.#patient = void 0, this.#loading === loading && (this.#loading = void 0);
    }), this.#patient;
  }
  /**
   * Takes other settings from now on. Health, leases and sessions are kept, by the id of a credential in its
   * group: one that moves to another group begins there anew. `now`, `seed` and `leaseTtlMs` stay as they were.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option`; nothing has changed then
   */
  reload(options) {
    this.#engine.assertAlive(), checkRouterOptions(options), this.#options = options, this.#engine.reconfigure(poolOptions(options)), this.#settle(options);
  }
  #settle(options) {
    let engine = this.#engine, { accessKeys, groups } = options;
    this.#accessKeys = new Map(accessKeys.map(({ id }, at) => [id, at])), this.#upstream = upstreamNames(groups);
    let providers = groups.map(({ id }) => engine.provider(id));
    engine.timed(() => engine.core.route(routeSettings(options, (id) => engine.provider(id).index)));
    let loading = providers.map((provider) => engine.ensureLoaded(provider)).filter((one) => one !== void 0);
    if (loading.length === 0) {
      this.#loading = void 0;
      return;
    }
    let all = Promise.all(loading).then(() => {
      this.#loading === all && (this.#loading = void 0);
    });
    this.#loading = all, all.catch(() => {
    });
  }
  /**
   * Makes one request with fail-over over groups and credentials: chooses, calls `attempt`, reports, and
   * tries another while that can help and is safe. After a failure the next lower tier comes before the
   * rest of the same one, and none above again.
   *
   * @returns what the last attempt answered
   * @throws what the last attempt threw; when there was none, {@link KeyrotaError} `access_denied` or
   * `model_not_found` with the `reason`, or `no_credential_available` with the time and the `inspection`
   */
  async run(options, attempt2) {
    calls.route(options, attempt2);
    let plan = createPlan(attemptsOf(options), options.idempotent === !0), asked = this.#asked(options, this.#engine.nextRequest()), host = {
      plan,
      acquire: (leastWaitMs) => this.#acquire(options, asked, plan, leastWaitMs),
      size: () => this.#engine.size,
      hasOtherSecret: ({ provider, credential, secret }) => this.#engine.hasOtherSecret(provider, credential.id, secret)
    };
    try {
      return await run(host, options, attempt2);
    } finally {
      plan.free();
    }
  }
  /**
   * Says where a request would go now, and why each group and each credential is chosen or passed over. It
   * changes nothing, and agrees with what the next request does.
   */
  inspect(request) {
    calls.inspect(request);
    let engine = this.#engine, { accessKey, protocol, model, numbers: numbers2 } = this.#asked(request, 0), told = engine.timed(
      () => engine.core.inspect(accessKey, protocol, model, numbers2)
    );
    return {
      ...told,
      accessKey: { id: request.accessKey, reason: told.accessKey },
      groups: told.groups.map((group) => {
        let credentials = variablesOf(group.credentials, engine.provider(group.id));
        return { ...group, credentials };
      })
    };
  }
  /** What is known of each group and its credentials, those included whose rows break a rule. */
  status() {
    let engine = this.#engine;
    return this.#options.groups.map(({ id, enabled = !0, priority = 0, weight = 50 }) => {
      let { index, invalid } = engine.provider(id), credentials = [...engine.timed(() => engine.core.status(index)), ...invalid.map(invalidRow)];
      return { id, enabled, priority, weight, credentials };
    });
  }
  /** Whose rules read the answers of a group. */
  dialectOf(group) {
    return this.#engine.dialectOf(group);
  }
  /**
   * Finds out whether a credential works, as {@link KeyPool.probe} does.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no group has that id;
   * `no_credential_available` when it has no secret
   */
  async probe(id, send) {
    return calls.probe(send), probe(this.#engine, id, send);
  }
  /**
   * Brings a credential back by hand, whatever took it out: its rests and those of its models and its quota
   * group, a blacklisting, a verdict. What is `enabled: false` stays off.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no group has that id
   */
  recover(id) {
    this.#byHand(id, (provider, number2) => this.#engine.core.recover(provider, number2));
  }
  /**
   * Takes in that a quota or a balance is there again: ends what it caused, and nothing else.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no group has that id
   */
  recoverQuota(id) {
    this.#byHand(id, (provider, number2) => this.#engine.core.recoverQuota(provider, number2));
  }
  #byHand(id, change) {
    let { provider, number: number2 } = this.#engine.find(id);
    this.#engine.timed(() => change(provider.index, number2)), this.#waiting.wake();
  }
  /**
   * Calls `listener` whenever the event happens; `provider` names the group.
   *
   * @returns what removes the listener
   */
  on(event, listener) {
    return listen(this.#engine, event, listener);
  }
  /** Frees the router's memory. Every later call throws `disposed`. */
  dispose() {
    this.#engine.dispose(), this.#waiting.wake();
  }
  /** {@link Router.dispose}, for `using`. */
  [Symbol.dispose]() {
    this.dispose();
  }
  /** What the core reads of a request: sessions and responses are apart by access key. */
  #asked(request, number2) {
    let { accessKey, protocol, session, continues } = request;
    for (let [name, value] of Object.entries({ session, continues })) textOrNone(name, value);
    let known = PROTOCOLS.indexOf(protocol);
    checkProtocol("protocol", protocol);
    let scope = `${accessKey}
`;
    hashSession(session === void 0 ? void 0 : `${scope}${protocol}
${session}`);
    let { low: low2, high: high2 } = session_exports;
    hashSession(continues === void 0 ? void 0 : scope + continues, "continues");
    let numbers2 = Uint32Array.of(low2, high2, low, high, number2, 0, 0, 0);
    return { accessKey: this.#accessKeys.get(accessKey) ?? NOBODY, protocol: known, model: modelOf(request), numbers: numbers2, scope };
  }
  async #acquire(options, asked, plan, leastWaitMs) {
    let { signal: signal2 } = options, maxWaitMs = milliseconds("maxWaitMs", options.maxWaitMs, waitOf(this.#options, {})), ask2 = () => {
      let tryNow = () => this.#tryAcquire(options, asked, plan);
      return this.#loading === void 0 ? tryNow() : abortable(this.#soon(), signal2).then(tryNow);
    }, patience = { provider: void 0, signal: signal2, maxWaitMs: Math.max(maxWaitMs, leastWaitMs) };
    return this.#waiting.until(ask2, patience);
  }
  #tryAcquire(request, asked, plan) {
    let engine = this.#engine;
    engine.assertAlive();
    let { core } = engine, { model, numbers: numbers2, scope } = asked, accessKey = this.#accessKeys.get(request.accessKey) ?? NOBODY, id = core.acquireRouted(plan, accessKey, asked.protocol, model, numbers2);
    if (id < 0) return this.#refuse(id, request);
    let provider = engine.providerAt(core.routedTo()), granted = core.granted(), seen = core.sessionSeen(), [low2, high2] = numbers2, lease = new RoutedLease(engine, provider, id, granted, {
      upstreamModel: model && (this.#upstream.get(provider.name)?.get(model) ?? model),
      scope,
      learn: () => {
        lease.reason === "overflow" || engine.disposed || engine.timed(() => core.learn(low2, high2, seen, provider.index, granted >>> 3));
      }
    });
    return tellAcquired(engine, lease), lease;
  }
  #refuse(code, request) {
    let { core } = this.#engine, fault = this.#engine.faultOf(code);
    if (fault !== void 0) throw fault;
    let { accessKey, protocol, model, session, continues } = request, wait = code === NONE_AVAILABLE ? core.retryAfter() : -1, atCapacity = code === NONE_AVAILABLE && core.atCapacity(), retryAfterMs = wait < 0 ? null : wait, reason = core.turnedAwayFor() ?? "no_usable_credential";
    return { ok: !1, code: "no_credential_available", retryAfterMs, atCapacity, toError: () => {
      let look = () => this.inspect({ accessKey, protocol, model, session, continues }), asks = `${model === void 0 ? "" : `for '${model}' `}over ${protocol}`;
      if (code === DENIED) {
        let message2 = `access key '${accessKey}' may not ask ${asks}: ${reason}`;
        return withInspection(new KeyrotaError("access_denied", message2, { reason }), look);
      }
      if (code === NO_GROUP) {
        let message2 = `no group serves what access key '${accessKey}' asks ${asks}: ${reason}`;
        return withInspection(new KeyrotaError("model_not_found", message2, { reason }), look);
      }
      let next2 = retryAfterMs === null ? "" : `; the next one is back in ${retryAfterMs} ms`, message = `no credential can serve what access key '${accessKey}' asks ${asks}${next2}: see inspection`, facts = { retryAfterMs, atCapacity };
      return withInspection(new KeyrotaError("no_credential_available", message, facts), look);
    } };
  }
};
function invalidRow(id) {
  return { ...{ id, label: null, weight: 0, priority: 0, state: "invalid_credential" }, ...{ by: null, until: null, level: 0, cause: null, models: [], inFlight: 0 }, picks: 0, successes: 0, failures: 0, lastUsedAt: null };
}
var SECRETS_MS = 1e4, NOBODY = 4294967295;
function textOrNone(name, value) {
  if (value !== void 0 && typeof value != "string")
    throw invalidOption(name, value, "must be a text");
}
function withInspection(error, look) {
  let seen;
  return Object.defineProperty(error, "inspection", { get: () => {
    try {
      seen ??= look();
    } catch {
    }
    return seen;
  }, enumerable: !0, configurable: !0 });
}

// js/entry/slim.ts
function initSync(source2) {
  start(() => source2);
}
export {
  EmptyAnswer,
  Engine,
  KeyPool,
  KeyrotaError,
  Lease,
  Options,
  Refusal,
  RoutedLease,
  Router,
  Secrets,
  Underway,
  classify2 as classify,
  classifyStreamEvent,
  describe,
  initSync,
  isEmptyEvent,
  isEmptyText,
  isKeyrotaError
};
