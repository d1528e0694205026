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
  __wbindgen_generic_0000000000000001: () => __wbindgen_generic_0000000000000001,
  __wbindgen_generic_0000000000000002: () => __wbindgen_generic_0000000000000002,
  __wbindgen_generic_0000000000000003: () => __wbindgen_generic_0000000000000003,
  __wbindgen_init_externref_table: () => __wbindgen_init_externref_table,
  classify: () => classify,
  hashHigh: () => hashHigh,
  hashLow: () => hashLow
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
    return wasm.core_home(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
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
   * Seeds the random choices from a text.
   * @param {string} seed
   */
  seed(seed2) {
    let ptr0 = passStringToWasm0(seed2, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN;
    wasm.core_seed(this.__wbg_ptr, ptr0, len0);
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
};
Symbol.dispose && (Core.prototype[Symbol.dispose] = Core.prototype.free);
function classify(dialect, options, facts, now, is_event) {
  let val2 = +now, val3 = +is_event, ptr0 = passStringToWasm0(dialect, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc), len0 = WASM_VECTOR_LEN, ret = wasm.classify(ptr0, len0, options, facts, val2, val3);
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
} } : new FinalizationRegistry((ptr) => wasm.__wbg_core_free(ptr, 1));
function addToExternrefTable0(obj) {
  let idx = wasm.__externref_table_alloc();
  return wasm.__wbindgen_externrefs.set(idx, obj), idx;
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
    let { name, code, message } = this, { cause: _, stack: __, ...facts } = { ...this };
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
  secretVersion: anything
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
  rollback: fields({ credentials: whole(1, 1e3), requests: whole(1, 1e3), withinMs: whole(0) })
}, POOL = fields({
  ...PROVIDER,
  load: callback,
  credentials: record(list(inlineCredential)),
  disable: callback,
  refresh: callback,
  fallbackSecret: callback,
  now: callback,
  resolveSecret: callback,
  affinity: fields({ capacity: whole(0, 1e7), ttlMs: whole(1), homeMs: whole(0) }),
  seed,
  leaseTtlMs: whole(1),
  providers: record(fields(PROVIDER))
});
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
}, ACQUIRE = { ...REQUEST, maxWaitMs: anything, signal }, RUN = { ...ACQUIRE, idempotent: anything, maxAttempts: anything, retry: callback }, checkRequest = fields(REQUEST), checkAcquire = fields(ACQUIRE), checkRun = fields(RUN), calls = {
  explain: (request) => checkRequest("", request ?? null),
  acquire: (options) => checkAcquire("", options ?? null),
  probe: (send) => callback("send", send),
  run: (options, attempt2) => {
    checkRun("", options ?? null), callback("attempt", attempt2);
  }
}, Options = {
  fields,
  anyCallback: callback,
  nonEmptyText: text,
  wholeFrom: (least) => whole(least),
  numberFrom: number,
  yesOrNo: flag
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
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
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
var NONE_AVAILABLE = -1, NOT_LOADED = -2, BAD_CLOCK = -3, NO_RANDOMNESS = -4;
function createCore(host, options) {
  return start(), checked(() => new Core(host, options));
}
function classifyFacts(dialect, options, facts, now, isEvent) {
  return start(), checked(() => classify(dialect, options, facts, now, isEvent));
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
  let { model, until, stated, waitFrom } = what, isCandidate = "reason" in what, cause = isCandidate ? what.cause : what.class, kind = isCandidate ? what.reason : what.scope === "provider" ? "paused" : "cooling", word = kind === "model_cooling" ? "cooling" : kind, parts = [word.replaceAll("_", " ")];
  return model !== null && parts.push(` for ${model}`), until !== null && parts.push(` until ${time(until)}`), stated ? parts.push(`, stated by ${placeOf(waitFrom)}`) : cause !== null && cause !== word && parts.push(`, after ${cause}`), isCandidate && what.rule !== null && parts.push(`: ${what.field} ${what.rule}`), parts.join("");
}
function time(ms) {
  return Math.abs(ms) <= 864e13 ? new Date(ms).toISOString().replace("T", " ").replace(/\.\d+/, "") : "further notice";
}
function placeOf(waitFrom) {
  let [kind = "", place = ""] = (waitFrom ?? "").split(/:(.*)/s);
  return kind === "header" ? place.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()) : kind === "text" ? `the words '${place}'` : kind === "body" ? `the field ${place}` : kind === "" ? "the provider" : `${kind} (${place})`;
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
      let { id, secret, label, enabled, weight, order, priority, secretVersion } = row, { models, quotaGroup, refreshable } = row, list2 = isList(models) ? Array.from(models) : models;
      return { ...{ id, secret, label, enabled, weight, order, priority, models: list2 }, quotaGroup, refreshable, secretVersion };
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
  /** Whether the only row is the provider-level key, which the app's storage does not know. */
  isFallback = !1;
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
function answerOf(provider, ask) {
  let fail = (error) => {
    throw loadFailed(provider.name, error);
  };
  try {
    let answer = ask();
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
    failOpen: exhausted === "fail-open"
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
      refresh: (provider, credential) => this.#tell(() => this.#refresh(provider, credential))
    };
    this.core = createCore(
      host,
      Object.assign(settingsOf(options, options), { affinity, leaseTtlMs })
    ), seed2 !== void 0 && this.core.seed(String(seed2));
    for (let name of Object.keys(options.credentials ?? {})) this.#loadInline(name);
    this.#constructed = !0;
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
  /** Whose rules read the outcomes of a provider. */
  dialectOf(name) {
    let { providers = {}, dialect = name } = this.#options;
    return (Object.hasOwn(providers, name) ? providers[name]?.dialect : void 0) ?? dialect;
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
      let number2 = provider.numberOf(id);
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
    let number2 = this.core.pick(provider.index, low, high);
    if (number2 === -3) throw this.clock.error();
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
      for (let tell of held) tell();
      return;
    }
    provider.isFallback = isFallback, provider.forgetNames(), loaded.credentials.forEach((number2, at) => {
      let prepared = rows[at];
      if (number2 < 0 || prepared === void 0) return;
      let { id, label } = prepared.row;
      provider.keep(number2, { id: id.trim(), label: label ?? null }, prepared);
    });
    for (let tell of held) tell();
    this.#constructed ? this.#tellUnresolved(provider) : provider.unresolved.size > 0 && queueMicrotask(() => this.#tellUnresolved(provider));
    for (let { row, id, field, rule: rule2 } of loaded.invalid) {
      if (provider.inline) throw invalidInline(provider.name, row, field, rule2);
      this.listeners.emit("invalid_credential", {
        provider: provider.name,
        credential: id,
        field,
        rule: rule2
      });
    }
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
    let provider = this.#byIndex[index], credential = provider?.credentials[number2];
    if (provider === void 0 || credential === void 0) return;
    let about = { provider: provider.name, credential: credential.id }, settle = (hasNew) => {
      this.#disposed || this.core.refreshed(index, number2, hasNew), this.wake();
    }, fail = (message) => (this.#disposed || this.listeners.emit("refresh_failed", { ...about, message }), settle(!1)), { refresh } = this.#options;
    if (refresh === void 0) {
      settle(!1);
      return;
    }
    let settled = (async () => refresh(credential.id))().then(
      (answer) => {
        if (this.#disposed) return;
        let result = cleaned(answer);
        return "rule" in result ? fail(`refresh answered no secret: it ${result.rule}`) : (provider.secrets[number2] = result.secret, provider.inline && provider.renewed.set(credential.id, result.secret), this.listeners.emit("refreshed", about), settle(!0));
      },
      () => fail("refresh failed")
    ).finally(() => provider.refreshing.delete(number2));
    provider.refreshing.set(number2, settled);
  }
  /** Asks the app's storage to keep a credential disabled; one call at a time for each. */
  #disable(index, number2, why) {
    let provider = this.#byIndex[index], credential = provider?.credentials[number2], { disable } = this.#options;
    if (disable === void 0 || provider === void 0 || credential === void 0 || provider.isFallback || provider.disabling.has(number2) || provider.stored.has(number2)) return;
    let fail = (message) => {
      if (this.#disposed) return;
      let about = { provider: provider.name, credential: credential.id };
      this.listeners.emit("disable_failed", { ...about, message });
    }, settle = (answer) => {
      if (!this.#disposed) {
        if (answer !== !0) return fail("disable did not answer true");
        if (provider.inline) {
          provider.stored.add(number2);
          return;
        }
        this.core.confirmDisabled(index, number2), this.invalidate(provider.name);
      }
    }, settled = (async () => disable(credential.id, { provider: provider.name, class: why }))().then(settle, (error) => fail(`disable failed: ${messageOf(error)}`)).finally(() => provider.disabling.delete(number2));
    provider.disabling.set(number2, settled);
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
  "probe"
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
      value(_, options, inspect) {
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
      return status !== void 0 && !disposed && !mayHideError(outcome) && core.settle(this.#id, status);
    } catch {
      return !1;
    }
  }
  /** What comes before the first `await` happens at once: the credential rests when this returns. */
  async #judge(outcome) {
    try {
      let facts = readOutcome(outcome), unread = unreadBody(outcome);
      unread !== void 0 && withBody(facts, await unread), this.#model !== void 0 && (facts.model = this.#model), hideSecret(facts, this.#secret);
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
    this.#verdict === void 0 && (this.#verdict = OK, this.#engine.disposed || this.#engine.core.release(this.#id));
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
  if (provider.unresolved.size === 0) return explanation;
  let candidates = explanation.candidates.map((candidate) => {
    if (candidate.reason !== "secret_unresolved") return candidate;
    let why = provider.unresolved.get(provider.numberOf(candidate.id) ?? -1);
    return { ...candidate, field: "secret", rule: why?.message ?? null };
  });
  return { ...explanation, candidates };
}
function withoutChoice(explanation) {
  let candidates = explanation.candidates.map(
    (candidate) => candidate.reason === "chosen" ? { ...candidate, reason: "available" } : candidate
  );
  return { ...explanation, choice: null, candidates };
}

// js/refusal.ts
var SHOWN = 3, Refusal = class {
  /** `not_loaded`: use `acquire`, which loads. */
  code;
  provider;
  /** How long until a credential is back, in milliseconds; `null` when time alone does not help. */
  retryAfterMs;
  #explain;
  /** @internal */
  constructor(code, provider, retryAfterMs, explain) {
    this.code = code, this.provider = provider, this.retryAfterMs = retryAfterMs, this.#explain = explain;
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
function modelOf({ model }) {
  if (model === void 0 || typeof model == "string") return model;
  throw invalidOption("model", model, "must be a text");
}
function numbers(provider, request, number2) {
  let { session, continues, tried = [] } = request;
  if (!Array.isArray(tried)) throw invalidOption("tried", tried, "must be a list of ids");
  let numbersTried = tried.map((id) => provider.numberOf(id)).filter((at) => at !== void 0);
  hashSession(session);
  let { low: low2, high: high2 } = session_exports;
  return hashSession(continues, "continues"), Uint32Array.of(low2, high2, low, high, number2, ...numbersTried);
}

// js/run.ts
var [LEAST_ATTEMPTS, MOST_ATTEMPTS] = [10, 100], MOST_PAUSE_MS = 2500, MOST_REPEATS = 1, Underway = class {
  /** By it the pool of one entry knows what another entry made, whose class is another. */
  isUnderway = !0;
  /** What `run` hands over. */
  value;
  constructor(value) {
    this.value = value;
  }
};
function isUnderway(value) {
  return value?.isUnderway === !0;
}
async function run(host, options, attempt2) {
  let { maxAttempts, idempotent = !1, retry, ...request } = options, isCount = Number.isInteger(maxAttempts) || maxAttempts === 1 / 0;
  if (maxAttempts !== void 0 && !(isCount && maxAttempts >= 1))
    throw invalidOption("maxAttempts", maxAttempts, "must be a whole number of 1 or more");
  let most = () => maxAttempts ?? Math.min(Math.max(host.size(), LEAST_ATTEMPTS), MOST_ATTEMPTS), tried = new Tried(request.tried ?? []), ending;
  for (let count = 1; count <= most(); count++) {
    let lease = await next(host, request, tried, count).catch((error) => {
      if (!(ending !== void 0 && isKeyrotaError(error)))
        throw error;
    });
    if (lease === void 0) break;
    if (discard(ending), ending = await end(lease, count, attempt2), "value" in ending && isUnderway(ending.value)) return ending.value.value;
    let verdict = await verdictOn(lease, ending).catch(() => lease.release());
    if (verdict === void 0 || !mayTryAnother(verdict, idempotent) || count < most() && retry?.(verdict, count) === !1) break;
    tried.add(lease, verdict);
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
var Tried = class {
  #ids;
  /** Those that were not to blame: the provider failed for everyone, or their secret is new. */
  #blameless = /* @__PURE__ */ new Set();
  /** Those whose secret was refused and may be renewed by now. */
  #refused = [];
  #repeats = 0;
  constructor(ids) {
    this.#ids = new Set(ids);
  }
  get ids() {
    return [...this.#ids];
  }
  add(lease, { scope, class: kind }) {
    let { id } = lease.credential;
    this.#ids.add(id), (scope === "provider" || scope === "egress") && this.#blameless.add(id), kind === "auth_failed" && this.#refused.push(lease);
  }
  /** Lets those who were not to blame be tried once more; answers false when there are none. */
  async forgive(host, signal2) {
    for (let lease of this.#refused.splice(0))
      await abortable(host.hasOtherSecret(lease), signal2) && this.#blameless.add(lease.credential.id);
    if (this.#blameless.size === 0 || this.#repeats >= MOST_REPEATS) return !1;
    this.#repeats++;
    for (let id of this.#blameless) this.#ids.delete(id);
    return this.#blameless.clear(), !0;
  }
};
async function next(host, request, tried, count) {
  let leastWaitMs = count === 1 && request.maxWaitMs !== void 0 ? 0 : MOST_PAUSE_MS;
  try {
    return await host.acquire({ ...request, tried: tried.ids }, leastWaitMs);
  } catch (error) {
    if (!isKeyrotaError(error, "no_credential_available") || !await tried.forgive(host, request.signal))
      throw error;
    return host.acquire({ ...request, tried: tried.ids }, leastWaitMs);
  }
}
function discard(ending) {
  let body2 = (ending !== void 0 && "value" in ending ? ending.value : void 0)?.body;
  typeof body2?.cancel == "function" && body2.locked === !1 && body2.cancel().catch(() => {
  });
}
async function end(lease, count, attempt2) {
  try {
    return { value: await attempt2(lease, count) };
  } catch (thrown) {
    return { thrown };
  }
}
async function verdictOn(lease, ending) {
  if ("thrown" in ending) {
    let outcome = typeof ending.thrown == "object" && ending.thrown !== null ? ending.thrown : {};
    return lease.report(outcome);
  }
  let isResponse = statusOf(ending.value) !== void 0, verdict = await lease.report(isResponse ? ending.value : { status: 200 });
  return verdict.class === "ok" ? void 0 : verdict;
}
function mayTryAnother(verdict, idempotent) {
  return verdict.retryOther && (verdict.class !== "unknown_outcome" || idempotent);
}

// js/pool.ts
var KeyPool = class {
  #engine;
  /** Ends the waits of callers, when something changed that may help them. */
  #waiting = /* @__PURE__ */ new Set();
  /**
   * Makes a pool. Nothing is loaded yet but what stands in `credentials`.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path;
   * `wasm_blocked` or `unsupported_engine` when WebAssembly cannot be used here
   */
  constructor(options) {
    this.#engine = new Engine(options), this.#engine.wake = (provider) => this.#wake(provider);
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
    return calls.acquire(options), this.#acquire(options, 0, 0);
  }
  /** `request` is the number that all attempts of one request share; 0 for a request of one attempt. */
  async #acquire(options, request, leastWaitMs) {
    let { signal: signal2 } = options, provider = this.#engine.provider(options.provider), { longestWaitMs } = provider, asked = milliseconds("maxWaitMs", options.maxWaitMs, longestWaitMs), maxWaitMs = Math.max(asked, leastWaitMs), waited = 0;
    for (let round = 1; ; round++) {
      signal2?.throwIfAborted();
      let loading = this.#engine.ensureLoaded(this.#engine.provider(options.provider));
      loading !== void 0 && await abortable(loading, signal2);
      let answer = this.#tryAcquire(options, request);
      if (answer.ok) return answer;
      if (answer.code === "not_loaded") {
        if (round < MOST_ROUNDS) continue;
        throw answer.toError();
      }
      let wait = answer.retryAfterMs;
      if (wait === null || waited + wait > maxWaitMs) throw answer.toError();
      waited += await this.#sleep(provider, wait, signal2);
    }
  }
  /**
   * Leases a credential at once, or says why not. The provider must be loaded: see {@link KeyPool.load}.
   *
   * @returns a lease or a refusal, told apart by `ok`
   */
  tryAcquire(request) {
    if (request == null)
      throw invalidOption("request", request, "must be an object");
    return this.#tryAcquire(request, 0);
  }
  #tryAcquire(request, number2) {
    let { core } = this.#engine, provider = this.#engine.provider(request.provider), model = this.#model(provider, request);
    if (provider.strategy !== void 0)
      return this.#acquireByFunction(provider, request, provider.strategy, number2);
    let { tried, continues } = request, id;
    return model || tried && tried.length !== 0 || continues !== void 0 || number2 > 0 ? id = core.acquireFiltered(provider.index, model, numbers(provider, request, number2)) : (hashSession(request.session), id = core.acquire(provider.index, low, high)), id >= 0 ? this.#grant(provider, id, request) : this.#refuse(provider, id, request);
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
   * may be tried again when nobody else is left. A short pause of the provider is waited out.
   *
   * @returns what the last attempt answered
   * @throws what the last attempt threw; what {@link KeyPool.acquire} throws when there was none
   */
  async run(options, attempt2) {
    calls.run(options, attempt2);
    let engine = this.#engine, asked = engine.provider(options.provider), number2 = engine.nextRequest();
    return run(
      {
        acquire: (request, leastWaitMs) => this.#acquire(request, number2, leastWaitMs),
        size: () => asked.size,
        hasOtherSecret: ({ provider, credential, secret }) => engine.hasOtherSecret(provider, credential.id, secret)
      },
      options,
      attempt2
    );
  }
  /**
   * Finds out whether a credential works, whatever is known of it: one that rests, or that a verdict
   * disabled, too. A success ends its rests and brings it back; what a person switched off stays off.
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
    calls.probe(send);
    let { provider, number: number2 } = this.#engine.find(id), request = { provider: provider.name }, granted = this.#engine.core.acquireProbe(provider.index, number2);
    if (granted === NONE_AVAILABLE) {
      let why = provider.unresolved.get(number2)?.message ?? "it has no secret", facts = { provider: provider.name, credential: id, retryAfterMs: null };
      throw new KeyrotaError("no_credential_available", `'${id}' cannot be probed: ${why}`, facts);
    }
    if (granted < 0) throw this.#refuse(provider, granted, request).toError();
    let lease = this.#grant(provider, granted, request), verdict = await attemptOnce(lease, send);
    return verdict.class === "ok" && provider.stored.delete(number2), verdict;
  }
  /**
   * Says which credential a request would get now, and why each other one is passed over. It changes
   * nothing.
   */
  explain(request) {
    return calls.explain(request), this.#explain(request);
  }
  #explain(request) {
    let engine = this.#engine, provider = engine.provider(request.provider), asked = numbers(provider, request, 0), explanation = engine.timed(
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
   * Takes in that a quota or a balance is there again: ends the rests that it caused, of the credential,
   * its models and its quota group. Other rests keep their time.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  recoverQuota(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    this.#engine.timed(() => this.#engine.core.recoverQuota(provider.index, number2)), this.#wake();
  }
  /**
   * Ends every rest of a credential, those of its models and of its quota group too.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  reset(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    this.#engine.timed(() => this.#engine.core.reset(provider.index, number2)), this.#wake();
  }
  /**
   * Brings a disabled credential back with clean health. If the app's storage has it disabled, change
   * it there too: the next load counts.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  enable(id) {
    let { provider, number: number2 } = this.#engine.find(id);
    provider.stored.delete(number2), this.#engine.timed(() => this.#engine.core.enable(provider.index, number2)), this.#wake();
  }
  /** Drops the loaded rows of one provider, or of all: the next call loads anew. Health is kept. */
  invalidate(provider) {
    this.#engine.invalidate(provider), this.#wake();
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
    let { core, listeners } = this.#engine;
    this.#engine.assertAlive(), checkListener(event, listener);
    let remove = listeners.add(event, listener);
    return core.listen(!0), () => {
      remove(), this.#engine.disposed || core.listen(listeners.has());
    };
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
    this.#engine.restore(snapshot), this.#wake();
  }
  /** Frees the pool's memory. Every later call throws `disposed`. */
  dispose() {
    this.#engine.dispose(), this.#wake();
  }
  /** {@link KeyPool.dispose}, for `using`. */
  [Symbol.dispose]() {
    this.dispose();
  }
  #grant(provider, id, request) {
    let engine = this.#engine, lease = new Lease(engine, provider, id, engine.core.granted(), request.model);
    if (engine.listeners.has("acquired")) {
      let { reason, credential } = lease;
      engine.listeners.emit("acquired", {
        provider: provider.name,
        credential: credential.id,
        reason
      });
    }
    return lease;
  }
  #refuse(provider, code, request) {
    if (code === BAD_CLOCK) throw this.#engine.clock.error();
    if (code === NO_RANDOMNESS)
      throw new KeyrotaError(
        "randomness_unavailable",
        "this platform gives random numbers only inside a request handler: choose there, or pass seed"
      );
    let explain = () => this.#explain(request);
    if (code === NOT_LOADED) return new Refusal("not_loaded", provider.name, null, explain);
    let wait = this.#engine.core.retryAfter(), retryAfterMs = wait < 0 ? null : wait;
    return new Refusal("no_credential_available", provider.name, retryAfterMs, explain);
  }
  #acquireByFunction(provider, request, strategy2, number2) {
    let { core } = this.#engine, model = this.#model(provider, request), asked = numbers(provider, request, number2), candidates = [...core.candidates(provider.index, model, asked)];
    if (candidates.length === 0) {
      let id2 = core.acquireFiltered(provider.index, model, asked);
      return id2 >= 0 ? this.#grant(provider, id2, request) : this.#refuse(provider, id2, request);
    }
    let home = core.home(provider.index, model, asked), chosen = home >= 0 ? home : this.#ask(strategy2, provider, candidates, request), id = core.acquireChosen(provider.index, chosen, model, asked);
    return id >= 0 ? this.#grant(provider, id, request) : id !== NONE_AVAILABLE ? this.#refuse(provider, id, request) : core.isLoaded(provider.index) ? this.#acquireByFunction(provider, request, strategy2, number2) : this.#refuse(provider, NOT_LOADED, request);
  }
  #ask(strategy2, provider, candidates, request) {
    let ids = new Set(candidates.map((number3) => provider.credentials[number3]?.id)), shown = this.status(provider.name).filter(({ id }) => ids.has(id)).map(({ id, label, weight, inFlight, picks }) => ({ id, label, weight, inFlight, picks })), facts = { provider: provider.name }, chosen;
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
  /** Waits, and answers how long: by the timer where the pool's clock stands still. */
  async #sleep(provider, ms, signal2) {
    let { clock } = this.#engine, began = clock.now(), spread = this.#engine.spread(ms), counted = await sleep(ms + spread, signal2, (wake) => this.#register({ provider, wake })), passed = clock.now() - began;
    return Math.min(passed > 0 ? passed : counted, ms);
  }
  #register(waiter) {
    return this.#waiting.add(waiter), () => this.#waiting.delete(waiter);
  }
  /** Ends the waits for one provider, or all. */
  #wake(provider) {
    for (let waiter of [...this.#waiting])
      (provider === void 0 || waiter.provider === provider) && waiter.wake();
  }
};

// js/entry/slim.ts
function initSync(source2) {
  start(() => source2);
}
export {
  Engine,
  KeyPool,
  KeyrotaError,
  Lease,
  Options,
  Refusal,
  Underway,
  classify2 as classify,
  classifyStreamEvent,
  describe,
  initSync,
  isKeyrotaError
};
