"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf, __hasOwnProp = Object.prototype.hasOwnProperty;
var __esm = (fn, res, err) => function() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __commonJS = (cb, mod) => function() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: !0 });
}, __copyProps = (to, from, except, desc) => {
  if (from && typeof from == "object" || typeof from == "function")
    for (let key of __getOwnPropNames(from))
      !__hasOwnProp.call(to, key) && key !== except && __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: !0 }) : target,
  mod
)), __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: !0 }), mod);

// js/wasm/utf8.ts
var platform, Utf8Decoder, Utf8Encoder, TextDecoder, TextEncoder, init_utf8 = __esm({
  "js/wasm/utf8.ts"() {
    "use strict";
    platform = globalThis, Utf8Decoder = class {
      decode(bytes = new Uint8Array()) {
        let escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`);
        return decodeURIComponent(escaped.join(""));
      }
    }, Utf8Encoder = class {
      encode(text3) {
        let units = encodeURIComponent(text3.replaceAll(/\p{Surrogate}/gu, "�")).match(/%..|./g) ?? [];
        return Uint8Array.from(
          units,
          (unit) => unit.length === 1 ? unit.charCodeAt(0) : Number.parseInt(unit.slice(1), 16)
        );
      }
    }, TextDecoder = platform.TextDecoder ?? Utf8Decoder, TextEncoder = platform.TextEncoder ?? Utf8Encoder;
  }
});

// peer:hono
var require_hono = __commonJS({
  "peer:hono"(exports, module2) {
    init_utf8();
    var { KeyrotaError: KeyrotaError2 } = require("keyrota");
    try {
      module2.exports = require("hono");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
      let message = "keyrota/gateway needs 'hono': npm install hono zod";
      throw new KeyrotaError2("missing_peer", message, {}, error);
    }
  }
});

// peer:zod
var require_zod = __commonJS({
  "peer:zod"(exports, module2) {
    init_utf8();
    var { KeyrotaError: KeyrotaError2 } = require("keyrota");
    try {
      module2.exports = require("zod");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
      let message = "keyrota/gateway needs 'zod': npm install hono zod";
      throw new KeyrotaError2("missing_peer", message, {}, error);
    }
  }
});

// js/gateway.ts
var gateway_exports = {};
__export(gateway_exports, {
  createGateway: () => createGateway
});
module.exports = __toCommonJS(gateway_exports);
init_utf8();
var import_keyrota8 = require("keyrota");

// js/fetch/budget.ts
init_utf8();
var OF_ONE_KEY = /* @__PURE__ */ new Set([
  "rate_limited",
  "quota_exhausted",
  "auth_failed",
  "model_denied",
  "over_key_limit"
]), RetryBudget = class {
  #share;
  #reserve;
  #balance;
  constructor(share, reserve) {
    this.#share = share, this.#reserve = reserve, this.#balance = reserve;
  }
  /** A request begins. */
  deposit() {
    this.#balance = Math.min(this.#balance + this.#share, this.#reserve + 1e3 * this.#share);
  }
  /** A retry is asked for after that verdict; answers whether it may be made. */
  allows({ class: kind }) {
    return OF_ONE_KEY.has(kind) ? !0 : this.#balance < 1 ? !1 : (this.#balance -= 1, !0);
  }
};

// js/gateway/app.ts
init_utf8();
var import_hono = __toESM(require_hono(), 1);

// js/gateway/access.ts
init_utf8();

// js/gateway/failures.ts
init_utf8();
var import_keyrota = require("keyrota");

// js/fetch/refusal.ts
init_utf8();

// js/fetch/apis.ts
init_utf8();
var DIALECTS = {
  azure: "azure-openai|azure",
  anthropic: "anthropic|claude|anthropic-subscription|claude-code|claude-subscription",
  gemini: "gemini|google|google-gemini|google-ai-studio",
  vertex: "vertex|google-vertex|vertex-ai|vertexai|google-codeassist|codeassist|gemini-cli|antigravity",
  openai: "anthropic-openai-compat"
}, APIS = Object.entries(DIALECTS).flatMap(
  ([api, names]) => names.split("|").map((name) => [name, api])
), BY_DIALECT = new Map(APIS);
function apiOf(dialect) {
  let name = dialect.toLowerCase();
  if (/[-_./:]anthropic$/.test(name)) return "anthropic";
  let parts = name.split(/(?=[-_./:])/);
  for (let length = parts.length; length > 0; length--) {
    let api = BY_DIALECT.get(parts.slice(0, length).join(""));
    if (api !== void 0) return api;
  }
  return "openai";
}

// js/fetch/shapes.ts
init_utf8();
var WORDS = {
  400: ["invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"],
  401: ["authentication_error", "authentication_error", "UNAUTHENTICATED"],
  403: ["permission_error", "permission_error", "PERMISSION_DENIED"],
  404: ["invalid_request_error", "not_found_error", "NOT_FOUND"],
  405: ["invalid_request_error", "invalid_request_error", "UNIMPLEMENTED"],
  408: ["invalid_request_error", "timeout_error", "DEADLINE_EXCEEDED"],
  413: ["invalid_request_error", "request_too_large", "INVALID_ARGUMENT"],
  415: ["invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"],
  429: ["rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"],
  499: ["invalid_request_error", "invalid_request_error", "CANCELLED"],
  500: ["server_error", "api_error", "INTERNAL"],
  502: ["server_error", "api_error", "UNAVAILABLE"],
  503: ["service_unavailable_error", "api_error", "UNAVAILABLE"],
  504: ["server_error", "timeout_error", "DEADLINE_EXCEEDED"]
}, OTHER = ["server_error", "api_error", "UNKNOWN"];
function errorBody(api, error) {
  let { status, message, code, param = null, requestId } = error, [openai, anthropic, google] = WORDS[status] ?? OTHER;
  if (api === "anthropic") {
    let said = { type: "error", error: { type: anthropic, message } };
    return requestId === void 0 ? said : { ...said, request_id: requestId };
  }
  if (api === "gemini" || api === "vertex") {
    let details = googleDetails(error);
    return {
      error: { code: status, message, status: google, ...details.length > 0 && { details } }
    };
  }
  return { error: { message, type: openai, param, code } };
}
function googleDetails({ code, domain, retryAfterMs }) {
  let details = [], type = (name) => ({ "@type": `type.googleapis.com/google.rpc.${name}` });
  if (domain !== void 0 && details.push({ ...type("ErrorInfo"), reason: code.toUpperCase(), domain }), typeof retryAfterMs == "number") {
    let retryDelay = `${Math.ceil(retryAfterMs / 1e3)}s`;
    details.push({ ...type("RetryInfo"), retryDelay });
  }
  return details;
}
function errorResponse(api, error, more) {
  let { status, retryAfterMs } = error, headers = new Headers(more);
  return headers.set("content-type", "application/json"), typeof retryAfterMs == "number" ? (headers.set("retry-after", String(Math.ceil(retryAfterMs / 1e3))), headers.set("retry-after-ms", String(Math.ceil(retryAfterMs)))) : retryAfterMs === null && headers.set("x-should-retry", "false"), new Response(JSON.stringify(errorBody(api, error)), { status, headers });
}

// js/fetch/refusal.ts
var ROOM_AFTER_MS = 1e3;
function askAgainIn({ explanation, atCapacity, retryAfterMs }) {
  return (atCapacity || explanation?.atCapacity ? ROOM_AFTER_MS : retryAfterMs) ?? null;
}

// js/gateway/protocols.ts
init_utf8();

// js/fetch/inject.ts
init_utf8();
var KEY_HEADERS = ["x-goog-api-key", "x-api-key", "api-key", "authorization"], BY_API = {
  anthropic: "x-api-key",
  azure: "api-key",
  gemini: "x-goog-api-key",
  openai: "authorization",
  vertex: "authorization"
}, ANTHROPIC_TOKEN = /^sk-ant-oat/;
function takeOut({ url, headers }, dialect) {
  let header = KEY_HEADERS.find((name) => headers.has(name)), api = apiOf(dialect), inQuery = (header === void 0 || api === "gemini" || api === "vertex") && url.search !== "" && url.searchParams.has("key");
  for (let name of KEY_HEADERS) headers.delete(name);
  return inQuery && url.searchParams.delete("key"), { inQuery, ...header !== void 0 && { header } };
}
function place(outgoing, secret2, dialect, { header, inQuery } = takeOut(outgoing, dialect)) {
  if (inQuery && outgoing.url.searchParams.set("key", secret2), inQuery && header === void 0) return;
  let name = header ?? BY_API[apiOf(dialect)];
  name === "x-api-key" && ANTHROPIC_TOKEN.test(secret2) && (name = "authorization"), outgoing.headers.set(name, name === "authorization" ? `Bearer ${secret2}` : secret2);
}

// js/gateway/protocols.ts
var FACTS = {
  "openai-chat": { api: "openai", models: "/v1/models" },
  "openai-responses": { api: "openai", models: "/v1/models" },
  "anthropic-messages": { api: "anthropic", models: "/v1/models" },
  gemini: { api: "gemini", models: "/v1beta/models" }
}, PROTOCOLS = Object.keys(FACTS);
function apiOfProtocol(protocol) {
  return FACTS[protocol].api;
}
function modelsPath(protocol) {
  return FACTS[protocol].models;
}
function upstreamUrl(baseUrl, path, query) {
  let url = new URL(baseUrl), base = url.pathname.replace(/\/+$/, ""), hasVersion = /\/v\d+[a-z\d.]*$/i.test(base);
  url.pathname = base + (hasVersion ? path.replace(/^\/[^/]+/, "") : path);
  let own = new URLSearchParams(url.search);
  return query?.forEach((value, name) => {
    own.has(name) || url.searchParams.append(name, value);
  }), url;
}
function placeFor(protocol, dialect, outgoing, secret2) {
  let api = apiOf(dialect);
  place(outgoing, secret2, api === "azure" || api === "vertex" ? dialect : apiOfProtocol(protocol));
}

// js/gateway/failures.ts
var STATUS = {
  unauthorized: 401,
  conflicting_access_keys: 400,
  forbidden: 403,
  model_not_found: 404,
  response_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  invalid_json: 400,
  invalid_request: 400,
  body_too_large: 413,
  body_timeout: 408,
  unsupported_encoding: 415,
  client_closed: 499,
  no_credential_available: 503,
  upstream_timeout: 504,
  deadline_exceeded: 504,
  upstream_unreachable: 502,
  upstream_redirect: 502,
  upstream_unauthorized: 502,
  upstream_error: 502,
  shutting_down: 503,
  internal_error: 500
}, Refused = class extends Error {
  code;
  facts;
  constructor(code, message, facts = {}) {
    super(message), this.code = code, this.facts = facts;
  }
}, DENIED = {
  access_key_unknown: ["unauthorized", "The access key is not valid."],
  access_key_disabled: ["unauthorized", "The access key is disabled."],
  access_key_expired: ["unauthorized", "The access key has expired."],
  protocol_not_allowed: ["forbidden", "The access key may not use this protocol."],
  model_not_allowed: ["forbidden", "The access key may not use this model."],
  continuation_unknown: ["response_not_found", "The access key has made no such response."]
};
function denied(reason) {
  let [code, message] = DENIED[reason ?? ""] ?? ["forbidden", "The access key may not do this."];
  return new Refused(code, message);
}
function refusedBy(error) {
  if (error instanceof Refused) return error;
  if (!(0, import_keyrota.isKeyrotaError)(error)) return new Refused("internal_error", "The gateway failed.");
  let { code, reason } = error;
  if (code === "access_denied") return denied(reason);
  if (code === "model_not_found") return notFound(reason);
  if (code === "disposed") return new Refused("shutting_down", "The gateway is shutting down.");
  if (code !== "no_credential_available")
    return new Refused("internal_error", "The gateway failed.");
  let retryAfterMs = askAgainIn(error), message = `No credential can serve this request now${retryAfterMs === null ? "." : `; try again in ${Math.ceil(retryAfterMs / 1e3)} s.`}`;
  return new Refused("no_credential_available", message, { retryAfterMs });
}
function notFound(reason) {
  let message = reason === "conversion_required" ? "The model is not served over this protocol." : "The model does not exist, or the access key may not use it.";
  return new Refused("model_not_found", message, { param: "model" });
}
function statusOf({ code, facts }) {
  return typeof facts.retryAfterMs == "number" ? 429 : STATUS[code];
}
function failure(refused, protocol, requestId) {
  let { code, message, facts } = refused, { headers, ...more } = facts, told3 = { status: statusOf(refused), code, message, requestId, domain: "keyrota", ...more }, own = { ...headers, "x-keyrota-code": code, "x-request-id": requestId };
  return errorResponse(apiOfProtocol(protocol), told3, own);
}

// js/gateway/access.ts
var KEY_HEADERS2 = ["authorization", "x-api-key", "x-goog-api-key", "api-key"], LONGEST_KEY = 4096, WORDS2 = 8, AccessTable = class {
  #keys;
  /** Their digests, one after another. */
  #digests;
  constructor(keys) {
    this.#keys = keys, this.#digests = new Uint32Array(keys.length * WORDS2);
    for (let [at, { sha256 }] of keys.entries()) this.#digests.set(wordsOf(sha256), at * WORDS2);
  }
  /**
   * The access key with that value.
   *
   * @remarks
   * Every digest is compared, and every word of it, whatever was found before: how long it takes says nothing
   * about how near a wrong key comes.
   */
  async find(key) {
    let bytes = new TextEncoder().encode(key.slice(0, LONGEST_KEY)), digest = new DataView(await crypto.subtle.digest("SHA-256", bytes)), asked = Uint32Array.from({ length: WORDS2 }, (_, at) => digest.getUint32(at * 4)), found = 0;
    for (let key2 = 0; key2 < this.#keys.length; key2++) {
      let difference = 0;
      for (let word = 0; word < WORDS2; word++)
        difference |= this.#digests[key2 * WORDS2 + word] ^ asked[word];
      let isSame = ~((difference | -difference) >> 31);
      found |= isSame & key2 + 1;
    }
    return key.length <= LONGEST_KEY ? this.#keys[found - 1] : void 0;
  }
};
function presentedKey(headers, url, mayBeInQuery) {
  let given = /* @__PURE__ */ new Set();
  for (let name of KEY_HEADERS2) {
    let value = headers.get(name);
    if (value !== null)
      for (let one of value.split(",")) {
        let key2 = name === "authorization" ? one.trim().replace(/^bearer(?:\s+|$)/i, "") : one.trim();
        key2 !== "" && given.add(key2);
      }
  }
  if (mayBeInQuery) for (let key2 of url.searchParams.getAll("key")) given.add(key2);
  given.delete("");
  let [key] = given;
  if (key === void 0) throw new Refused("unauthorized", "The request has no access key.");
  if (given.size > 1)
    throw new Refused("conflicting_access_keys", "The request has several access keys that differ.");
  return key;
}
function wordsOf(hex) {
  return Array.from(
    { length: WORDS2 },
    (_, at) => Number.parseInt(hex.slice(at * 8, at * 8 + 8), 16)
  );
}

// js/gateway/headers.ts
init_utf8();
var HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
], OF_THE_MESSAGE = ["host", "content-length", "accept-encoding", "expect"], OF_THE_CLIENT = [
  "cookie",
  "forwarded",
  "via",
  "x-real-ip",
  "true-client-ip",
  "cdn-loop",
  "x-client-ip",
  "origin",
  "referer",
  "x-request-id"
], OF_THE_CLIENT_BY_PREFIX = /^(?:cf-|x-forwarded-|sec-|x-keyrota-)/, NOT_SENT = /* @__PURE__ */ new Set([
  ...HOP_BY_HOP,
  ...OF_THE_MESSAGE,
  ...OF_THE_CLIENT,
  ...KEY_HEADERS2
]), OF_THE_PROVIDER = [
  "set-cookie",
  "content-length",
  "content-encoding",
  "server",
  "via",
  "alt-svc",
  "nel",
  "report-to",
  "strict-transport-security",
  "x-powered-by"
], OF_THE_ACCOUNT = /(?:^|-)ratelimit-|^(?:openai|anthropic)-(?:organization|project)(?:-id)?$/, OF_THE_PROVIDER_BY_PREFIX = /^(?:cf-|access-control-|x-keyrota-)/, NOT_RETURNED = /* @__PURE__ */ new Set([...HOP_BY_HOP, ...OF_THE_PROVIDER]);
function forUpstream(headers) {
  let named = namedByConnection(headers), sent = new Headers();
  for (let [name, value] of entries(headers))
    NOT_SENT.has(name) || named.has(name) || OF_THE_CLIENT_BY_PREFIX.test(name) || sent.append(name, value);
  return sent;
}
function forClient(headers, secret2) {
  let named = namedByConnection(headers), returned = new Headers();
  for (let [name, value] of entries(headers))
    NOT_RETURNED.has(name) || named.has(name) || OF_THE_ACCOUNT.test(name) || OF_THE_PROVIDER_BY_PREFIX.test(name) || secret2 !== "" && value.includes(secret2) || returned.append(name === "x-request-id" ? "x-upstream-request-id" : name, value);
  return returned;
}
function requestIdOf(headers) {
  let given = headers.get("x-request-id") ?? "";
  return /^[\x21-\x7e]{1,128}$/.test(given) ? given : crypto.randomUUID();
}
function namedByConnection(headers) {
  let names = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return new Set(names.map((name) => name.trim()));
}
function entries(headers) {
  let list3 = [];
  return headers.forEach((value, name) => {
    list3.push([name, value]);
  }), list3;
}

// js/gateway/listing.ts
init_utf8();
var CREATED = "1970-01-01T00:00:00Z";
function listedWith(protocol) {
  return apiOfProtocol(protocol) === "openai" ? ["openai-chat", "openai-responses"] : [protocol];
}
function modelObject(name, protocol) {
  let api = apiOfProtocol(protocol);
  return api === "gemini" ? { name: `models/${name}`, displayName: name } : api === "anthropic" ? { type: "model", id: name, display_name: name, created_at: CREATED } : { id: name, object: "model", created: 0, owned_by: "keyrota" };
}
function modelList(names, protocol) {
  let data = names.map((name) => modelObject(name, protocol)), api = apiOfProtocol(protocol);
  return api === "gemini" ? { models: data } : api === "anthropic" ? { data, has_more: !1, first_id: names[0] ?? null, last_id: names.at(-1) ?? null } : { object: "list", data };
}

// js/gateway/log.ts
init_utf8();
function shownModel(model) {
  return model == null ? null : model.slice(0, 256).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "�");
}
function guarded(log) {
  return (event) => {
    try {
      let told3 = log(event);
      told3 instanceof Promise && told3.catch(() => {
      });
    } catch {
    }
  };
}
var RequestLog = class {
  requestId;
  #request;
  #emit;
  #now;
  #began;
  #accessKey = null;
  #model = null;
  #attempts = 0;
  #isEnded = !1;
  constructor(request, emit, now) {
    this.requestId = request.requestId, this.#request = request, this.#emit = emit, this.#now = now, this.#began = now();
  }
  /** How many attempts were made. */
  get attempts() {
    return this.#attempts;
  }
  /** Who asks, once that is known. */
  by(accessKey2) {
    this.#accessKey = accessKey2;
  }
  /** What for. */
  about(model) {
    this.#model = shownModel(model);
  }
  /** An attempt begins; answers what ends it. */
  attempt({ group: group2, credential: credential2 }, count) {
    this.#attempts = count;
    let began = this.#now();
    return (ending) => {
      this.#emit?.({
        type: "attempt",
        ...this.#known(began),
        attempt: count,
        group: group2,
        credential: credential2.id,
        ...ending
      });
    };
  }
  /** The request has ended. Only the first end counts. */
  end(ending) {
    if (this.#isEnded) return;
    this.#isEnded = !0;
    let { method } = this.#request, known = this.#known(this.#began);
    this.#emit?.({ type: "request", ...known, method, attempts: this.#attempts, ...ending });
  }
  #known(began) {
    let { requestId, protocol } = this.#request;
    return { ...{ requestId, protocol, accessKey: this.#accessKey, model: this.#model }, ms: Math.max(0, this.#now() - began) };
  }
};

// js/gateway/passage.ts
init_utf8();
var import_keyrota5 = require("keyrota");

// js/fetch/attempt.ts
init_utf8();
var import_keyrota4 = require("keyrota");

// js/fetch/answer.ts
init_utf8();
async function openBody(response, limits) {
  let { body, headers } = response;
  if (body === null) return { bytes: new Uint8Array(), isWhole: !0, body: null };
  let length = headers.get("content-length");
  if (limits.ms === void 0 && length !== null && Number(length) <= limits.bytes) {
    let bytes2 = new Uint8Array(await response.arrayBuffer());
    return { bytes: bytes2, isWhole: !0, body: bytes2.byteLength === 0 ? null : bytes2 };
  }
  let reader = body.getReader(), { chunks, isWhole, pending, fault } = await readStart(reader, limits);
  if (limits.ms === void 0 && fault !== void 0) throw fault.error;
  let bytes = joined(chunks);
  return isWhole ? { bytes, isWhole, body: bytes.byteLength === 0 ? null : bytes } : { bytes, isWhole, body: passed(chunks, reader, pending) };
}
async function readStart(reader, { bytes: most, ms }) {
  let chunks = [], timer, late = new Promise((resolve) => {
    ms !== void 0 && (timer = setTimeout(() => resolve(void 0), ms));
  });
  try {
    for (let size = 0; size <= most; ) {
      let pending = reader.read(), next = await Promise.race([pending, late]);
      if (next === void 0) return { chunks, isWhole: !1, pending };
      if (next.done) return { chunks, isWhole: !0 };
      chunks.push(next.value), size += next.value.byteLength;
    }
  } catch (error) {
    return { chunks, isWhole: !1, fault: { error } };
  } finally {
    clearTimeout(timer);
  }
  return { chunks, isWhole: !1 };
}
function passed(chunks, reader, pending) {
  let held = [...chunks], waiting = pending;
  return new ReadableStream(
    {
      async pull(controller) {
        let first = held.shift();
        if (first !== void 0) return controller.enqueue(first);
        let next = waiting ?? reader.read();
        waiting = void 0;
        let { done, value } = await next;
        done ? controller.close() : controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  );
}
function joined(chunks) {
  let bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0)), at = 0;
  for (let chunk of chunks)
    bytes.set(chunk, at), at += chunk.byteLength;
  return bytes;
}

// js/fetch/events.ts
init_utf8();
var EventReader = class {
  /** The line that has not ended yet, in pieces: an image may come in one line of megabytes. */
  #pieces = [];
  #name = "";
  #data = [];
  /** The events that are complete now. */
  push(text3) {
    let events = [];
    if (!(this.#pieces.at(-1)?.endsWith("\r") === !0) && !/[\r\n]/.test(text3))
      return text3 !== "" && this.#pieces.push(text3), events;
    let lines = (this.#pieces.join("") + text3).split(/\r\n|\n|\r(?!$)/), rest2 = lines.pop() ?? "";
    this.#pieces = rest2 === "" ? [] : [rest2];
    for (let line of lines)
      line === "" ? (this.#data.length > 0 && events.push({ name: this.#name, data: this.#data.join(`
`) }), this.#name = "", this.#data = []) : line.startsWith("data:") ? this.#data.push(line.slice(line[5] === " " ? 6 : 5)) : line.startsWith("event:") && (this.#name = line.slice(6).trim());
    return events;
  }
  /** What came last without being complete, as an event: some providers end without a blank line. */
  rest() {
    return this.push(`

`);
  }
}, ENDS = /* @__PURE__ */ new Set([
  "message_stop",
  "response.completed",
  "response.incomplete",
  "response.cancelled",
  "done",
  "transcript.text.done",
  "speech.audio.done",
  "image_generation.completed",
  "image_edit.completed"
]), ERRORS = /* @__PURE__ */ new Set(["error", "response.failed"]), MARK = /error|failed"|finish_?reason"\s*:\s*[^\sn]|\[DONE\]|message_stop|(?:done|completed|incomplete|cancelled)"|promptFeedback/i;
function mayEnd({ name, data }) {
  return MARK.test(data) || ERRORS.has(name) || ENDS.has(name);
}
function kindOf({ name, data }) {
  if (data === "[DONE]") return "end";
  let json = parsed(data);
  if (json === void 0) return ERRORS.has(name) ? "error" : "content";
  let type = typeof json.type == "string" ? json.type : name;
  if (ERRORS.has(type) || ERRORS.has(name) || json.error !== void 0 && json.error !== null) return "error";
  if (ENDS.has(type)) return "end";
  let choices = json.choices ?? json.candidates;
  if (Array.isArray(choices)) return kindOfChoices(choices);
  if (typeof type == "string" && type !== "") {
    let block = json.content_block;
    return block !== void 0 && !/^(?:text|thinking|tool_use)$/.test(String(block.type)) || /delta|\.done$|tool|audio|partial_image|^completion$/.test(type) ? "content" : "other";
  }
  return json.promptFeedback !== void 0 ? "finish" : json.usageMetadata === void 0 ? "content" : "other";
}
function announcesEnd({ name, data }) {
  let json = parsed(data), type = typeof json?.type == "string" ? json.type : name;
  return /^(response\.|message_start$|content_block)/.test(type) ? !0 : Array.isArray(json?.choices ?? json?.candidates);
}
function idsMadeBy({ data }) {
  return data.includes('"response.created"') ? idsOf(parsed(data)?.response) : [];
}
function idsOf(made) {
  let { id, conversation: conversation2 } = made ?? {};
  return [id, conversation2?.id].filter((one) => typeof one == "string").filter((one) => /^(resp|conv)_/.test(one));
}
function kindOfChoices(choices) {
  let kind = "other";
  for (let choice of choices) {
    if (choice?.finish_reason || choice?.finishReason) return "finish";
    let { delta, text: text3, content } = choice ?? {};
    (Object.entries(delta ?? {}).some(
      ([field, value]) => field !== "role" && value !== "" && value !== null && value !== void 0
    ) || text3 || content?.parts !== void 0) && (kind = "content");
  }
  return kind;
}
function parsed(data) {
  try {
    let json = JSON.parse(data);
    return typeof json == "object" && json !== null ? json : void 0;
  } catch {
    return;
  }
}

// js/fetch/redact.ts
init_utf8();
function shownUrl(url, secret2) {
  return url.includes("?") ? hidden(url, secret2) : url;
}
function showUrl(response, url, secret2) {
  let shown = shownUrl(url, secret2);
  return shown !== response.url && Object.defineProperty(response, "url", { value: shown }), response;
}
function withoutSecret(error, secret2, depth = 0) {
  if (!(error instanceof Error) || depth >= 5) return error;
  for (let field of Object.getOwnPropertyNames(error)) {
    let { value, configurable } = Object.getOwnPropertyDescriptor(error, field) ?? {};
    if (typeof value != "string") continue;
    let text3 = hidden(value, secret2);
    text3 !== value && configurable && Object.defineProperty(error, field, { value: text3 });
  }
  let { errors } = error;
  for (let one of Array.isArray(errors) ? errors : []) withoutSecret(one, secret2, depth + 1);
  return withoutSecret(error.cause, secret2, depth + 1), error;
}
function hidden(text3, secret2) {
  if (secret2 === "") return text3;
  let inQuery = new URLSearchParams({ k: secret2 }).toString().slice(2);
  return text3.replaceAll(secret2, "…").replaceAll(inQuery, "…").replaceAll(encodeURIComponent(secret2), "…");
}

// js/fetch/stream.ts
init_utf8();
var import_keyrota3 = require("keyrota");

// js/fetch/tell.ts
init_utf8();
var import_keyrota2 = require("keyrota");
async function tell(lease, outcome) {
  try {
    return await lease.report(outcome);
  } catch (error) {
    if ((0, import_keyrota2.isKeyrotaError)(error, "disposed")) return;
    throw error;
  }
}
function remember(lease, ids) {
  try {
    for (let id of ids) lease.remember(id);
  } catch (error) {
    if (!(0, import_keyrota2.isKeyrotaError)(error, "disposed")) throw error;
  }
}

// js/fetch/stream.ts
var MOST_HELD_BYTES = 262144;
function isEventStream(response) {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}
async function openStream(response, watch) {
  if (response.body === null) return { response };
  let reader = response.body.getReader(), events = new EventReader(), decoder3 = new TextDecoder(), head = await readHead(reader, events, decoder3, watch.holdsEmpty);
  if (remember(watch.lease, head.made), head.error !== void 0) {
    let verdict2 = await reportEvent(head.error, "before_content", watch);
    if (verdict2 !== void 0 && verdict2.class !== "ok")
      return {
        response: rebuilt(response, passed(head.chunks, reader), watch.lease.secret),
        verdict: verdict2
      };
  }
  if (head.isEmpty) {
    let body2 = passed(head.chunks, reader);
    return { response: rebuilt(response, body2, watch.lease.secret), isEmpty: !0 };
  }
  let isNothing = head.announced || head.chunks.length === 0;
  if (head.done && isNothing && !head.hasContent) throw cut("before_content");
  let tail = new Tail(events, decoder3, head, watch);
  await tail.judge(head.later);
  let body = watched(head, reader, tail);
  return { response: rebuilt(response, body, watch.lease.secret) };
}
async function readHead(reader, events, decoder3, holdsEmpty) {
  let chunks = [], made = [], size = 0, announced = !1, ended = !1, nothing2 = { error: void 0, done: !1, hasContent: !1, isEmpty: !1, later: [] }, facts = () => ({ chunks, made, announced, ended }), head = (more) => ({ ...nothing2, ...facts(), ...more });
  for (; size < MOST_HELD_BYTES; ) {
    let { done, value } = await reader.read();
    value !== void 0 && (chunks.push(value), size += value.byteLength);
    let text3 = decoder3.decode(value, { stream: !done }), seen = done ? [...events.push(text3), ...events.rest()] : events.push(text3);
    for (let [at, event] of seen.entries()) {
      announced ||= announcesEnd(event), made.push(...idsMadeBy(event));
      let kind = kindOf(event), later = seen.slice(kind === "error" ? at + 1 : at);
      if (kind === "error") return head({ error: event, done, later });
      if (holdsEmpty && (0, import_keyrota3.isEmptyEvent)(event.name, event.data)) {
        if (ended ||= kind === "end" || kind === "finish", kind === "end") return head({ done, isEmpty: !0 });
        continue;
      }
      if (kind !== "other") return head({ done, hasContent: !0, later });
    }
    if (done) return head({ done, isEmpty: ended });
  }
  return head({});
}
var Tail = class {
  #events;
  #decoder;
  #watch;
  /** Whether the answer is complete. */
  #ended;
  #hasContent;
  #announced;
  constructor(events, decoder3, head, watch) {
    this.#events = events, this.#decoder = decoder3, this.#watch = watch, this.#ended = head.ended, this.#hasContent = head.hasContent, this.#announced = head.announced, watch.signal?.addEventListener("abort", this.#gaveUp);
  }
  #gaveUp = () => {
    this.#report({ name: "AbortError" }).catch(() => {
    });
  };
  get secret() {
    return this.#watch.lease.secret;
  }
  /** Looks at a chunk on its way to the caller. */
  async see(chunk) {
    let text3 = this.#decoder.decode(chunk, { stream: chunk !== void 0 });
    await this.judge(this.#events.push(text3)), chunk === void 0 && await this.judge(this.#events.rest());
  }
  /** Looks at events in their order: what an end or an error means for the credential. */
  async judge(events) {
    for (let event of events) {
      if (remember(this.#watch.lease, idsMadeBy(event)), this.#hasContent && this.#announced && !mayEnd(event)) continue;
      this.#announced ||= announcesEnd(event);
      let kind = kindOf(event);
      kind === "content" && (this.#hasContent = !0), (kind === "end" || kind === "finish") && (this.#ended = !0), kind === "end" && await this.#report({ status: 200 }), kind === "error" && !this.#watch.lease.settled && (this.#ended = !0, await reportEvent(event, this.#phase(), this.#watch));
    }
  }
  /** The provider closed the stream; answers the error that the caller must see, if it was too early. */
  async close() {
    await this.see(void 0);
    let early = this.#ended || !this.#announced ? void 0 : cut(this.#phase());
    return await this.#report(early ?? { status: 200 }), early;
  }
  /** Reading on failed. */
  async fail(error) {
    let failure2 = { cause: error, phase: this.#phase() };
    await this.#report(this.#watch.signal?.aborted ? { name: "AbortError" } : failure2);
  }
  /** The caller wants no more of it. */
  async cancel() {
    await this.#report({ name: "AbortError" });
  }
  /** Firefox goes on after a cancel until the provider sends more. */
  stop() {
    this.#watch.stop();
  }
  /** What happens after the end of the answer no longer matters. */
  async #report(outcome) {
    this.#watch.signal?.removeEventListener("abort", this.#gaveUp), await tell(this.#watch.lease, this.#ended ? { status: 200 } : outcome);
  }
  #phase() {
    return this.#hasContent ? "after_content" : "before_content";
  }
};
function cut(phase) {
  let error = new TypeError("the stream ended before the answer was complete");
  return Object.assign(error, { networkCode: "EOF", phase });
}
function watched(head, reader, tail) {
  let held = [...head.chunks], { done } = head;
  return new ReadableStream(
    {
      async pull(controller) {
        let first = held.shift();
        if (first !== void 0) return controller.enqueue(first);
        try {
          let next = done ? { done, value: void 0 } : await reader.read();
          if (done = next.done, next.value !== void 0)
            return await tail.see(next.value), controller.enqueue(next.value);
        } catch (error) {
          return await tail.fail(error), controller.error(withoutSecret(error, tail.secret));
        }
        let early = await tail.close();
        early === void 0 ? controller.close() : controller.error(early);
      },
      async cancel(reason) {
        await Promise.all([reader.cancel(reason), tail.cancel()]), tail.stop();
      }
    },
    // What the caller does not ask for is not fetched.
    { highWaterMark: 0 }
  );
}
async function reportEvent({ name, data }, phase, { lease, dialect, model }) {
  let event = name === "" ? `data: ${data}

` : `event: ${name}
data: ${data}

`, verdict2 = (0, import_keyrota3.classifyStreamEvent)({ provider: dialect, event, phase, model });
  return verdict2.class === "ok" ? verdict2 : tell(lease, { status: 200, headers: { "content-type": "text/event-stream" }, body: event, phase });
}
function rebuilt(response, body, secret2) {
  let { status, statusText } = response, headers = new Headers(response.headers);
  headers.delete("content-encoding"), headers.delete("content-length");
  let copy = new Response(body, { status, statusText, headers });
  return showUrl(copy, response.url, secret2);
}

// js/fetch/attempt.ts
var SUCCESS = { bytes: 1048576 }, ERROR = { bytes: 65536, ms: 5e3 }, ERROR_MARK = /"(?:error|base_resp|code|status_code|success|errno)/, MOST_SEARCHED = 4096, decoder = /* @__PURE__ */ new TextDecoder(), MAKES_RESPONSES = /\/(responses|conversations)(\/|$)/;
async function makeAttempt(attempt) {
  let { lease, signal } = attempt;
  try {
    return await answerOf(attempt);
  } catch (error) {
    throw signal?.aborted && await tell(lease, { name: "AbortError" }), withoutSecret(error, lease.secret);
  }
}
async function answerOf(attempt) {
  let response = await attempt.send(), isStream = response.body !== null && isEventStream(response);
  if (response.ok && isStream && !asksForRecord(attempt)) {
    let { response: opened, verdict: verdict2, isEmpty } = await openStream(response, attempt);
    return isEmpty ? new import_keyrota4.EmptyAnswer(opened) : verdict2 === void 0 ? new import_keyrota4.Underway(opened) : opened;
  }
  return finish(response, attempt);
}
async function finish(response, attempt) {
  let { lease, url, holdsEmpty } = attempt, { status, headers } = response;
  if (status < 200 || status >= 300 && status < 400 || status > 599)
    return status < 400 ? lease.release() : await tell(lease, { status }), showUrl(response, response.url, lease.secret);
  let isArray = url.pathname.includes(":streamGenerateContent");
  if (response.ok && (asksForRecord(attempt) || isArray || !isJson(headers)))
    return await tell(lease, { status }), showUrl(response, response.url, lease.secret);
  let { bytes, isWhole, body } = await openBody(response, response.ok ? SUCCESS : ERROR), mayHide = !response.ok || isWhole && hasMark(bytes);
  await tell(lease, mayHide ? { status, headers, body: bytes } : { status }), response.ok && MAKES_RESPONSES.test(url.pathname) && remember(lease, idsIn(bytes, isWhole));
  let answer2 = rebuilt(response, body, lease.secret);
  return holdsEmpty && response.ok && isWhole && (0, import_keyrota4.isEmptyText)(decoder.decode(bytes)) ? new import_keyrota4.EmptyAnswer(answer2) : answer2;
}
function asksForRecord({ method }) {
  return method === "GET" || method === "HEAD";
}
function isJson(headers) {
  let [type = ""] = (headers.get("content-type") ?? "").split(";");
  return /^(?:application|text)\/(?:[\w.-]+\+)?json$/i.test(type.trim()) && !/stream\+/i.test(type);
}
function idsIn(bytes, isWhole) {
  return isWhole ? idsOf(jsonOf(bytes)) : [...new TextDecoder().decode(bytes).matchAll(/"id"\s*:\s*"((?:resp|conv)_[^"]+)"/g)].map(([, id]) => id ?? "");
}
function jsonOf(bytes) {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return;
  }
}
function hasMark(bytes) {
  return isCut(bytes) || ERROR_MARK.test(decoder.decode(bytes.subarray(0, MOST_SEARCHED)));
}
function isCut(bytes) {
  let at = bytes.length - 1;
  for (; at >= 0 && bytes[at] <= 32; ) at--;
  return bytes[at] !== 125 && bytes[at] !== 93;
}

// js/fetch/deadline.ts
init_utf8();
var Deadline = class {
  #controller;
  #timer;
  #reason;
  /**
   * Begins to count.
   *
   * @param option - the name by which the time was given
   * @param controller - what is aborted
   */
  constructor(ms, option, controller = new AbortController()) {
    this.#controller = controller, this.#timer = setTimeout(
      () => {
        this.#reason = new DOMException(`the request took longer than ${option}`, "TimeoutError"), controller.abort(this.#reason);
      },
      Math.min(ms, 2147483647)
    );
  }
  get signal() {
    return this.#controller.signal;
  }
  /** What the request ended with; `undefined` when it was in time. */
  get reason() {
    return this.#reason;
  }
  /** The answer has begun, or there is none: its time is no longer counted. */
  end() {
    clearTimeout(this.#timer);
  }
};

// js/fetch/facts.ts
init_utf8();
var SESSION_HEADERS = ["x-session-id", "session-id", "session_id", "x-conversation-id"];
function decoded(text3) {
  try {
    return decodeURIComponent(text3);
  } catch {
    return text3;
  }
}
function continuedBy({ json, url }) {
  let path = decoded(url.pathname), [, inPath] = /\/(?:responses|conversations)\/((?:resp|conv)_[^/]+)/.exec(path) ?? [];
  return text(json?.previous_response_id) ?? conversation(json?.conversation) ?? inPath;
}
function sessionOf({ json, headers }) {
  for (let name of SESSION_HEADERS) {
    let named2 = headers.get(name);
    if (named2) return named2;
  }
  if (json === void 0) return;
  let metadata = json.metadata;
  return text(json.prompt_cache_key) ?? text(metadata?.user_id) ?? conversation(json.conversation) ?? stablePrefix(json);
}
function stablePrefix(json) {
  let { system, systemInstruction, instructions, tools, messages, input, contents } = json, turns = [messages, typeof input == "string" ? [{ role: "user", content: input }] : input, contents].find((list3) => Array.isArray(list3)), first = turns?.findIndex(isByUser) ?? -1;
  if (turns === void 0 || first < 0) return;
  let beginning = turns.slice(0, first + 1).map((turn) => [turn?.role ?? "user", wordsOf2(turn?.content ?? turn?.parts)]);
  try {
    return JSON.stringify([system, systemInstruction, instructions, tools, beginning], withoutMarks);
  } catch {
    return;
  }
}
function isByUser(turn) {
  return typeof turn != "object" || turn === null ? !1 : turn.role === "user" || turn.role === void 0;
}
function wordsOf2(content) {
  let only = Array.isArray(content) && content.length === 1 ? content[0] : null;
  return text(only?.text) ?? content;
}
function withoutMarks(key, value) {
  return key === "cache_control" ? void 0 : value;
}
function conversation(value) {
  return text(value) ?? text(value?.id);
}
function text(value) {
  return typeof value == "string" && value !== "" ? value : void 0;
}

// js/fetch/signals.ts
init_utf8();
function anyOf(signals) {
  let [only] = signals;
  if (only !== void 0 && signals.length === 1) return only;
  if (typeof AbortSignal.any == "function") return AbortSignal.any([...signals]);
  let controller = new AbortController(), left = new AbortController();
  for (let signal of signals) {
    let abort = () => {
      left.abort(), controller.abort(signal.reason);
    };
    signal.aborted ? abort() : signal.addEventListener("abort", abort, { once: !0, signal: left.signal });
  }
  return controller.signal;
}
function unlessAborted(work, signal, late) {
  return new Promise((resolve, reject) => {
    let abort = () => reject(signal.reason), heard = () => signal.removeEventListener("abort", abort);
    signal.aborted && abort(), signal.addEventListener("abort", abort, { once: !0 }), work.then((answer2) => signal.aborted ? late(answer2) : resolve(answer2), reject).finally(heard);
  });
}

// js/gateway/alias.ts
init_utf8();
var [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58], [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125], [SHORTEST, LONGEST] = [7, 32], FIRST = [109, 77, BACKSLASH], decoder2 = /* @__PURE__ */ new TextDecoder();
function atTop(to) {
  return { deepest: 1, rename: () => to };
}
function asInPath(from, to) {
  let names = /* @__PURE__ */ new Map([
    [from, to],
    [`models/${from}`, `models/${to}`]
  ]);
  return { deepest: 3, rename: (value) => names.get(value) };
}
function renamed(json, { deepest, rename }) {
  let parts = [], kept = 0;
  for (let { from, to } of valuesOfModel(json, deepest)) {
    let value = JSON.parse(textOf(json, from, to)), name = rename(value);
    name === void 0 || name === value || (parts.push(json.subarray(kept, from), new TextEncoder().encode(JSON.stringify(name))), kept = to);
  }
  if (kept === 0) return json;
  parts.push(json.subarray(kept));
  let bytes = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0)), at = 0;
  for (let part of parts)
    bytes.set(part, at), at += part.byteLength;
  return bytes;
}
function* valuesOfModel(json, deepest) {
  let isObject = [], isKey = !1, isModel = !1;
  for (let at = 0; at < json.length; at++) {
    let byte = json[at];
    if (byte === QUOTE) {
      let to = endOfText(json, at);
      isKey ? isModel = isObject.length <= deepest && isNameOfModel(json, at, to) : isModel && (yield { from: at, to }), at = to - 1;
    } else byte === OPEN_OBJECT || byte === OPEN_LIST ? (isKey = byte === OPEN_OBJECT, isObject.push(isKey), isModel = !1) : byte === CLOSE_OBJECT || byte === CLOSE_LIST ? (isObject.pop(), isModel = !1) : byte === COMMA ? (isKey = isObject.at(-1) === !0, isModel = !1) : byte === COLON && (isKey = !1);
  }
}
function isNameOfModel(json, from, to) {
  let size = to - from, first = json[from + 1];
  return size < SHORTEST || size > LONGEST || !FIRST.includes(first) ? !1 : JSON.parse(textOf(json, from, to)).toLowerCase() === "model";
}
function endOfText(json, from) {
  for (let at = json.indexOf(QUOTE, from + 1); at > 0; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    for (; json[at - 1 - slashes] === BACKSLASH; ) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}
function textOf(json, from, to) {
  return decoder2.decode(json.subarray(from, to));
}

// js/gateway/patience.ts
init_utf8();
var Overdue = class extends Error {
  name = "Overdue";
  code = "UND_ERR_BODY_TIMEOUT";
}, Patience = class {
  #controller = new AbortController();
  #timer;
  #overdue;
  /** Aborts when it is over, and when nobody wants the answer any more. */
  get signal() {
    return this.#controller.signal;
  }
  /** What is wrong, when the provider took too long. */
  get overdue() {
    return this.#overdue;
  }
  /** Waits for what must come within so many milliseconds; {@link Patience.got} says that it came. */
  wait(ms, what) {
    clearTimeout(this.#timer), this.#timer = setTimeout(() => {
      this.#overdue = new Overdue(`the provider sent ${what} for ${ms} ms`), this.#controller.abort(this.#overdue);
    }, ms);
  }
  got() {
    clearTimeout(this.#timer);
  }
  /** Nobody wants the answer any more. */
  stop() {
    clearTimeout(this.#timer), this.#controller.abort();
  }
};

// js/gateway/redact.ts
init_utf8();
var SecretFilter = class {
  #needles;
  /** What may be the beginning of a secret. */
  #held;
  /** @param isError - whether the answer is an error, of which also the ends of the secret are taken out */
  constructor(secret2, isError) {
    let texts = secret2.length < 8 ? [] : [secret2];
    isError && secret2.length >= 24 && texts.push(secret2.slice(0, 8), secret2.slice(-8)), this.#needles = texts.map((text3) => new TextEncoder().encode(text3));
  }
  /** The chunk without the secret: the very same, when nothing of it is there. */
  push(chunk) {
    let whole2 = this.#held === void 0 ? chunk : concat(this.#held, chunk);
    this.#held = void 0;
    let clean = this.#without(whole2), open = this.#openEnd(clean);
    return open === 0 ? clean : (this.#held = clean.slice(clean.length - open), clean.subarray(0, clean.length - open));
  }
  /** What is still held back when the answer has ended. */
  rest() {
    let held = this.#held;
    return this.#held = void 0, held;
  }
  #without(bytes) {
    let clean = bytes;
    for (let needle of this.#needles)
      for (let at = find(clean, needle, 0); at >= 0; at = find(clean, needle, at))
        clean === bytes && (clean = bytes.slice()), clean.fill(42, at, at + needle.length);
    return clean;
  }
  /** How much of the end is the beginning of a secret. */
  #openEnd(bytes) {
    let longest = 0;
    for (let needle of this.#needles) {
      let most = Math.min(needle.length - 1, bytes.length);
      for (let length = most; length > longest; length--)
        startsAt(bytes, needle, bytes.length - length, length) && (longest = length);
    }
    return longest;
  }
};
function find(bytes, needle, from) {
  let [first = 0] = needle, last = bytes.length - needle.length;
  for (let at = bytes.indexOf(first, from); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1))
    if (startsAt(bytes, needle, at, needle.length)) return at;
  return -1;
}
function startsAt(bytes, needle, at, length) {
  for (let place2 = 0; place2 < length; place2++)
    if (bytes[at + place2] !== needle[place2]) return !1;
  return !0;
}
function concat(one, other) {
  let bytes = new Uint8Array(one.length + other.length);
  return bytes.set(one), bytes.set(other, one.length), bytes;
}

// js/gateway/relay.ts
init_utf8();
function relayed(body, relay) {
  let { patience, idleMs, filter, ended } = relay, reader = body.getReader(), isLeft = !1, next = async () => {
    patience.wait(idleMs, "nothing more");
    try {
      return await reader.read();
    } finally {
      patience.got();
    }
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          for (; ; ) {
            let { done, value } = await next();
            if (isLeft) return;
            let clean = done ? filter.rest() : filter.push(value);
            if (clean !== void 0 && clean.byteLength > 0 && controller.enqueue(clean), done)
              return controller.close(), ended("complete");
            if (clean !== void 0 && clean.byteLength > 0) return;
          }
        } catch (error) {
          if (isLeft) return;
          ended("cut"), controller.error(error);
        }
      },
      async cancel(reason) {
        isLeft = !0;
        try {
          await reader.cancel(reason);
        } finally {
          patience.stop(), ended("cancelled");
        }
      }
    },
    { highWaterMark: 0 }
  );
}

// js/gateway/passage.ts
var Passage = class {
  #host;
  #state;
  #accessKey;
  #arrived;
  #asked;
  #log;
  #headers;
  #deadline;
  #last;
  #failed;
  constructor(host, state, accessKey2, arrived, asked, log) {
    this.#host = host, this.#state = state, this.#accessKey = accessKey2, this.#arrived = arrived, this.#asked = asked, this.#log = log, this.#headers = forUpstream(arrived.request.headers);
  }
  get #protocol() {
    return this.#arrived.route.protocol;
  }
  /**
   * Sends the request until it is answered, or until that cannot help.
   *
   * @throws {@link Refused} when no answer of a provider is to be handed over, or what the router refuses with
   */
  async send() {
    let { request, url, route } = this.#arrived, { maxAttempts, emptyResponses, unanswered } = this.#state.retry, { maxWaitMs } = this.#state, facts = {
      url,
      method: request.method,
      headers: request.headers,
      json: this.#asked.body?.json
    }, budget = this.#host.budget(), isSafe = /^(?:GET|HEAD)$/.test(request.method) || route.isPure === !0 || request.headers.has("idempotency-key");
    budget.deposit(), this.#deadline = new Deadline(this.#state.timeouts.totalMs, "timeouts.totalMs");
    let options = {
      accessKey: this.#accessKey,
      protocol: this.#protocol,
      model: this.#asked.model,
      session: sessionOf(facts),
      continues: this.#asked.stored ?? continuedBy(facts),
      idempotent: unanswered ?? isSafe,
      retryEmptyResponses: emptyResponses,
      signal: anyOf([request.signal, this.#deadline.signal]),
      retry: budget.allows.bind(budget),
      ...maxAttempts !== void 0 && { maxAttempts },
      ...maxWaitMs !== void 0 && { maxWaitMs }
    };
    try {
      let response = await this.#host.router.run(
        options,
        (lease, count) => this.#attempt(lease, count)
      );
      return this.#handOver(response);
    } catch (error) {
      if (request.signal.aborted) throw new Refused("client_closed", "The client went away.");
      if (this.#deadline.reason !== void 0)
        throw new Refused("deadline_exceeded", "No answer began in time.");
      if (error !== this.#failed || error instanceof Refused) throw error;
      let code = codeOf(error), message = code === "upstream_timeout" ? "did not answer in time." : "could not be reached.";
      throw new Refused(code, `The provider ${message}`);
    } finally {
      this.#deadline.end();
    }
  }
  async #attempt(lease, count) {
    let { log, patience } = { log: this.#log.attempt(lease, count), patience: new Patience() }, close = async (status, code, outcome) => {
      let verdict2 = await tell(lease, outcome);
      return log({ verdict: verdict2?.class ?? "ok", status, errorCode: code }), verdict2?.class;
    };
    try {
      patience.wait(this.#state.timeouts.firstByteMs, "no content");
      let answer2 = await this.#send(lease, patience), { status } = "value" in answer2 ? answer2.value : answer2, code = status < 300 ? null : status < 400 ? "upstream_redirect" : "upstream_error", ended = () => close(status, code, { status }), isUnderway = answer2 instanceof import_keyrota5.Underway, verdict2 = isUnderway ? void 0 : await ended();
      return this.#last = { lease, patience, verdict: verdict2, close: isUnderway ? ended : async () => {
      } }, answer2;
    } catch (thrown) {
      let error = patience.overdue ?? this.#deadline?.reason ?? thrown;
      this.#failed = error;
      let isLate = error === this.#deadline?.reason, isLeft = this.#arrived.request.signal.aborted, thing = isLeft ? { name: "AbortError" } : error, outcome = typeof thing == "object" && thing !== null ? thing : {}, code = isLeft ? "client_closed" : isLate ? "deadline_exceeded" : codeOf(error);
      throw await close(null, code, outcome), error;
    } finally {
      patience.got();
    }
  }
  #send(lease, patience) {
    let { request, url } = this.#arrived, { model, pathFor } = this.#asked, { baseUrl } = this.#groupOf(lease), upstream = lease.upstreamModel ?? model, query = new URLSearchParams(url.search);
    query.delete("key");
    let target = upstreamUrl(baseUrl, pathFor(upstream), query), dialect = this.#host.router.dialectOf(lease.group), { signal } = this.#deadline, until = anyOf([request.signal, patience.signal, signal]), attempt = makeAttempt({
      lease,
      dialect,
      model: upstream,
      method: request.method,
      url: target,
      signal: request.signal,
      stop: () => patience.stop(),
      holdsEmpty: this.#state.retry.emptyResponses,
      send: () => {
        let outgoing = { url: new URL(target), headers: new Headers(this.#headers) };
        return placeFor(this.#protocol, dialect, outgoing, lease.secret), this.#host.fetch(outgoing.url.href, {
          method: request.method,
          headers: outgoing.headers,
          body: this.#bodyFor(upstream),
          signal: until,
          // A key in a header of its own would go along to wherever a redirect leads.
          redirect: "manual"
        });
      }
    });
    return unlessAborted(attempt, until, (late) => {
      let { body } = "value" in late ? late.value : late;
      body?.cancel().catch(() => {
      });
    });
  }
  /** A group may be gone from the configuration by now. */
  #groupOf({ group: group2 }) {
    let found = this.#host.state().groups.get(group2) ?? this.#state.groups.get(group2);
    if (found === void 0) throw new Refused("internal_error", "The gateway failed.");
    return found;
  }
  #bodyFor(upstream) {
    let { body, naming } = this.#asked;
    return body === void 0 ? null : upstream === void 0 ? body.bytes : renamed(body.bytes, naming(upstream));
  }
  /** The answer for the client. */
  #handOver(response) {
    let { status, ok } = response, { lease, patience, verdict: verdict2, close } = this.#last;
    if (verdict2 === "auth_failed") {
      response.body?.cancel().catch(() => {
      });
      let facts = { headers: { "x-should-retry": "false" } }, message = "The provider refused the key of the gateway.";
      throw new Refused("upstream_unauthorized", message, facts);
    }
    if (status < 200 || status >= 300 && status < 400 || status > 599)
      throw response.body?.cancel().catch(() => {
      }), new Refused("upstream_redirect", "The provider did not answer the request itself.");
    let headers = forClient(response.headers, lease.secret);
    headers.set("x-request-id", this.#log.requestId), headers.set("x-keyrota-attempts", String(this.#log.attempts)), ok || headers.set("x-keyrota-code", "upstream_error");
    let told3 = { status, group: lease.group, errorCode: ok ? null : "upstream_error" }, { signal } = this.#arrived.request, ended = (how) => {
      let isLeft = how === "cut" && signal.aborted, end = () => this.#log.end({ ...told3, ended: isLeft ? "cancelled" : how });
      close().then(end, end);
    };
    if (response.body === null)
      return ended("complete"), new Response(null, { status, headers });
    let { idleMs } = this.#state.timeouts, filter = new SecretFilter(lease.secret, !ok), relay = { patience, idleMs, filter, ended };
    return new Response(relayed(response.body, relay), {
      status,
      headers
    });
  }
};
function codeOf(error) {
  let { name, code, cause } = error ?? {};
  return [name, code, cause?.name, cause?.code].some((word) => /timeout/i.test(`${word}`)) ? "upstream_timeout" : "upstream_unreachable";
}

// js/gateway/routes.ts
init_utf8();

// js/gateway/intake.ts
init_utf8();
async function readJson(request, limits) {
  let bytes = await readBytes(request, limits), json = parsed2(bytes);
  if (json === void 0) throw new Refused("invalid_json", "The body must be a JSON object.");
  return { bytes, json };
}
async function readBytes(request, { bodyBytes, bodyMs }) {
  if ((request.headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity")
    throw new Refused("unsupported_encoding", "The body must not be compressed.");
  let tooLarge = () => new Refused("body_too_large", `The body may have ${bodyBytes} bytes at the most.`), announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bodyBytes) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  let reader = request.body.getReader(), { chunks, isWhole, pending } = await readStart(reader, { bytes: bodyBytes, ms: bodyMs }), size = chunks.reduce((total, chunk) => total + chunk.byteLength, 0);
  if (isWhole && size >= announced && !request.signal.aborted) return joined(chunks);
  throw pending !== void 0 ? (pending.catch(() => {
  }), new Refused("body_timeout", `The body did not come within ${bodyMs} ms.`)) : size > bodyBytes ? tooLarge() : new Refused("client_closed", "The connection broke before the body was here.");
}
function parsed2(bytes) {
  try {
    let json = JSON.parse(new TextDecoder("utf-8", { fatal: !0 }).decode(bytes));
    return typeof json == "object" && json !== null && !Array.isArray(json) ? json : void 0;
  } catch {
    return;
  }
}

// js/gateway/routes.ts
var post = (path, protocol, isPure = !1) => ({ method: "POST", path, protocol, isPure, read: readWithModel }), stored = (method, path) => ({ method, path, protocol: "openai-responses", read: readStored }), NAME = /:name(?:\{.+\})?/, ROUTES = [
  post("/v1/chat/completions", "openai-chat"),
  post("/v1/embeddings", "openai-chat"),
  post("/v1/responses", "openai-responses"),
  post("/v1/responses/compact", "openai-responses"),
  post("/v1/responses/input_tokens", "openai-responses", !0),
  stored("GET", "/v1/responses/:name"),
  stored("DELETE", "/v1/responses/:name"),
  stored("POST", "/v1/responses/:name/cancel"),
  stored("GET", "/v1/responses/:name/input_items"),
  post("/v1/messages", "anthropic-messages"),
  post("/v1/messages/count_tokens", "anthropic-messages", !0),
  // A name of a model may have slashes.
  { method: "POST", path: "/v1beta/models/:name{.+}", protocol: "gemini", read: readGemini }
], MODEL_LISTS = ["/v1/models", "/v1beta/models"];
function protocolAt(url, headers) {
  return url.pathname.startsWith("/v1beta/") ? "gemini" : url.pathname.startsWith("/v1/messages") ? "anthropic-messages" : url.pathname.startsWith("/v1/responses") ? "openai-responses" : headers.has("anthropic-version") ? "anthropic-messages" : "openai-chat";
}
async function readWithModel({ request, route, limits }) {
  let body = await readJson(request, limits), { model, models } = body.json;
  if (typeof model != "string" || model === "")
    throw new Refused("invalid_request", "The body must name a model.", { param: "model" });
  let fallbacks = Array.isArray(models) ? models : [];
  return { model, fallbacks, body, pathFor: () => route.path, naming: atTop };
}
async function readStored({ route, name }) {
  if (name === void 0 || !/^[\w-][\w.-]{0,255}$/.test(name)) throw nothingThere();
  let path = route.path.replace(NAME, name);
  return { model: void 0, stored: name, body: void 0, pathFor: () => path, naming: atTop };
}
var GEMINI_CALLS = /* @__PURE__ */ new Set([
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents"
]);
async function readGemini({ request, name = "", limits }) {
  let [, model = "", call = ""] = /^(.+):(\w+)$/.exec(name) ?? [];
  if (model === "" || !GEMINI_CALLS.has(call)) throw nothingThere();
  let body = await readJson(request, limits);
  return {
    model,
    body,
    pathFor: (upstream = model) => `/v1beta/models/${encodeURIComponent(upstream)}:${call}`,
    naming: (upstream) => asInPath(model, upstream)
  };
}
function nothingThere() {
  return new Refused("not_found", "There is nothing at this path.");
}

// js/gateway/state.ts
init_utf8();

// js/gateway/check.ts
init_utf8();
var import_keyrota7 = require("keyrota");

// js/gateway/schema.ts
init_utf8();
var import_keyrota6 = require("keyrota"), import_zod = __toESM(require_zod(), 1);
var LONGEST_TIMER_MS = 2147483647, STRATEGIES = [
  "smooth",
  "weighted-round-robin",
  "weighted-random",
  "least-busy",
  "fill-first",
  "rendezvous"
];
function rule(holds, error) {
  return import_zod.z.custom(holds, { error });
}
function whole(least, most) {
  return rule(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    `must be a whole number from ${least} to ${most}`
  );
}
function oneOf(names) {
  return import_zod.z.custom((value) => names.includes(value), {
    error: ({ input }) => {
      let near = typeof input == "string" ? import_keyrota6.Options.nearest(input, names) : void 0, hint = near === void 0 ? "" : ` (did you mean '${near}'?)`;
      return `must be one of '${names.join("', '")}'${hint}`;
    }
  });
}
var text2 = rule(
  (value) => typeof value == "string" && value !== "",
  "must be a text that is not empty"
), flag = rule((value) => typeof value == "boolean", "must be true or false"), delay = whole(1, LONGEST_TIMER_MS), maxConcurrent = whole(1, 1e6), priority = whole(-1e6, 1e6), weight = import_zod.z.custom(
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
  {
    error: ({ input }) => input === 0 ? "must be a whole number from 1 to 100; to take it out, set enabled to false" : "must be a whole number from 1 to 100"
  }
);
function ofThePool() {
  return rule(
    (value) => typeof value == "object" && value !== null && !Array.isArray(value),
    "must be an object"
  );
}
function list(item) {
  return import_zod.z.array(item, { error: "must be a list" }).readonly();
}
function object(shape) {
  return import_zod.z.strictObject(shape, {
    error: ({ code }) => code === "invalid_type" ? "must be an object" : void 0
  });
}
var protocols = list(oneOf(PROTOCOLS)), secret = import_zod.z.custom((value) => !("rule" in import_keyrota6.Secrets.cleaned(value)), {
  error: ({ input }) => {
    let cleaned = import_keyrota6.Secrets.cleaned(input);
    return "rule" in cleaned ? cleaned.rule : void 0;
  }
}), credential = object({
  id: text2,
  secret,
  label: text2.nullish(),
  enabled: flag.optional(),
  weight: weight.optional(),
  order: priority.optional(),
  priority: priority.optional(),
  models: list(text2).nullish(),
  quotaGroup: text2.nullish(),
  maxConcurrent: maxConcurrent.nullish(),
  kind: oneOf(["api-key", "subscription"]).optional(),
  authorized: flag.optional(),
  refreshable: flag.optional(),
  secretVersion: text2.nullish()
}), accessKey = object({
  id: text2,
  sha256: rule(
    (value) => typeof value == "string" && /^[\da-f]{64}$/i.test(value),
    "must be the SHA-256 of the key: 64 hexadecimal digits"
  ),
  enabled: flag.optional(),
  expiresAt: rule(
    (value) => !Number.isNaN(momentOf(value)),
    "must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z, or milliseconds since the epoch"
  ).optional(),
  protocols: protocols.nullish(),
  groups: list(text2).nullish(),
  models: list(text2).nullish()
}), ofPolicies = {
  rules: rule(Array.isArray, "must be a list").optional(),
  cooldown: ofThePool().optional(),
  probe: ofThePool().optional(),
  rollback: ofThePool().optional(),
  blacklist: ofThePool().nullish(),
  exhausted: ofThePool().optional()
}, group = object({
  id: text2,
  baseUrl: rule(
    isBaseUrl,
    "must be an address with http: or https:, without user, password and fragment"
  ),
  validatePath: rule(
    (value) => typeof value == "string" && /^\/[^?#\s]+$/.test(value),
    "must be a path that begins with a slash, without query and fragment"
  ).nullish(),
  enabled: flag.optional(),
  priority: priority.optional(),
  weight: weight.optional(),
  protocols: protocols.refine((value) => value.length > 0, { error: "must name one at least" }),
  models: list(
    import_zod.z.union([text2, object({ name: text2, upstream: text2 })], {
      error: "must be a name, or { name, upstream }"
    })
  ).nullish(),
  maxConcurrent: maxConcurrent.nullish(),
  dialect: text2.optional(),
  credentials: list(credential),
  ...ofPolicies
}), gateway = object({
  accessKeys: list(accessKey),
  groups: list(group),
  strategy: oneOf(STRATEGIES).optional(),
  continuations: oneOf(["any", "own"]).optional(),
  affinity: ofThePool().optional(),
  retry: object({
    maxAttempts: whole(1, 100).optional(),
    emptyResponses: flag.optional(),
    unanswered: flag.optional(),
    budget: object({
      share: rule(
        (value) => typeof value == "number" && value >= 0 && value <= 10,
        "must be a number from 0 to 10"
      ).optional(),
      reserve: whole(0, 1e6).optional()
    }).optional()
  }).optional(),
  timeouts: object({
    bodyMs: delay.optional(),
    firstByteMs: delay.optional(),
    totalMs: delay.optional(),
    idleMs: delay.optional()
  }).optional(),
  limits: object({ bodyBytes: whole(1, 2147483647).optional() }).optional(),
  ...ofPolicies
});
function issuesOf(config) {
  return gateway.safeParse(config).error?.issues ?? [];
}
function namesAt(path) {
  let at = gateway;
  for (let step of path) {
    let def = bare(at)?._zod.def;
    at = typeof step == "number" ? def?.element : def?.shape?.[String(step)];
  }
  let { shape = {} } = bare(at)?._zod.def ?? {};
  return Object.keys(shape);
}
function bare(schema) {
  let { innerType } = schema?._zod.def ?? {};
  return innerType === void 0 ? schema : bare(innerType);
}
function momentOf(value) {
  return typeof value == "number" ? Number.isSafeInteger(value) && value > 0 ? value : Number.NaN : typeof value == "string" && /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(value) ? Date.parse(
    /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) || !value.includes("T") ? value : `${value}Z`
  ) : Number.NaN;
}
function isBaseUrl(value) {
  if (typeof value != "string" || !URL.canParse(value)) return !1;
  let { protocol, username, password, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username === "" && password === "" && hash === "";
}

// js/gateway/check.ts
function checkConfig(config) {
  let issues = issuesOf(config).flatMap(told), isReadable = !issues.some(({ path }) => /^(?:config|accessKeys|groups)\b/.test(path));
  throwAny(isReadable ? [...issues, ...acrossFields(config)] : issues);
}
function withIssues(take) {
  try {
    return take();
  } catch (error) {
    if (!(0, import_keyrota7.isKeyrotaError)(error) || !/^(?:invalid|unknown)_option$/.test(error.code)) throw error;
    let { path = "", nearest } = error, rule2 = error.rule ?? "does not exist";
    return throwAny([{ path, rule: rule2, ...nearest !== void 0 && { nearest } }]);
  }
}
function throwAny(issues) {
  let [first] = issues;
  if (first === void 0) return;
  let message = `the configuration is wrong: ${issues.map(({ path, rule: rule2, nearest }) => `${path} ${rule2}${nearest === void 0 ? "" : `; did you mean '${nearest}'?`}`).join("; ")}`;
  throw new import_keyrota7.KeyrotaError("invalid_config", message, { ...first, issues });
}
function told(issue) {
  let path = pathOf(issue.path);
  if (issue.code !== "unrecognized_keys") return [{ path: path || "config", rule: issue.message }];
  let known = namesAt(issue.path);
  return issue.keys.map((key) => {
    let nearest = import_keyrota7.Options.nearest(key, known), rule2 = nearest === void 0 ? `does not exist; known are ${known.join(", ")}` : "does not exist";
    return { path: pathOf([...issue.path, key]), rule: rule2, ...nearest !== void 0 && { nearest } };
  });
}
function pathOf(steps) {
  return steps.reduce((path, step) => typeof step == "number" ? `${path}[${step}]` : path === "" ? String(step) : `${path}.${String(step)}`, "");
}
function* acrossFields({ accessKeys, groups }) {
  let ids = groups.map(({ id }) => id);
  yield* repeated(accessKeys, "accessKeys", "id", ({ id }) => id), yield* repeated(accessKeys, "accessKeys", "sha256", ({ sha256 }) => sha256.toLowerCase()), yield* repeated(groups, "groups", "id", ({ id }) => id);
  for (let [at, { groups: granted }] of accessKeys.entries())
    yield* missing(granted ?? [], ids, `accessKeys[${at}].groups`, "names a group that does not exist");
  let credentials = groups.flatMap(
    (group2, at) => group2.credentials.map(({ id }, place2) => ({
      id,
      path: `groups[${at}].credentials[${place2}].id`
    }))
  ), seen = /* @__PURE__ */ new Set();
  for (let { id, path } of credentials)
    seen.has(id.trim()) && (yield { path, rule: "is the id of another credential, of this group or another" }), seen.add(id.trim());
  for (let [at, { models }] of groups.entries())
    yield* repeated(models ?? [], `groups[${at}].models`, "name", nameOf);
  yield* unknownModels(accessKeys, groups);
}
function* unknownModels(accessKeys, groups) {
  for (let [at, { models, credentials }] of groups.entries()) {
    let upstream = models?.map((model) => typeof model == "string" ? model : model.upstream);
    for (let [place2, credential2] of upstream ? credentials.entries() : []) {
      let path = `groups[${at}].credentials[${place2}].models`;
      yield* missing(credential2.models ?? [], upstream ?? [], path, "names a model by another name than any that its group asks the provider for");
    }
  }
  if (groups.some(({ models }) => models == null)) return;
  let exposed = groups.flatMap(({ models }) => (models ?? []).map(nameOf));
  for (let [at, { models }] of accessKeys.entries())
    yield* missing(models ?? [], exposed, `accessKeys[${at}].models`, "names a model that no group exposes");
}
function* missing(names, known, path, rule2) {
  for (let [at, name] of names.entries()) {
    if (known.includes(name)) continue;
    let nearest = import_keyrota7.Options.nearest(name, known);
    yield { path: `${path}[${at}]`, rule: rule2, ...nearest !== void 0 && { nearest } };
  }
}
function nameOf(model) {
  return typeof model == "string" ? model : model.name;
}
function* repeated(list3, path, field, textOf2) {
  let seen = /* @__PURE__ */ new Set();
  for (let [at, item] of list3.entries()) {
    let value = textOf2(item), place2 = typeof item == "string" ? `${path}[${at}]` : `${path}[${at}].${field}`;
    seen.has(value) && (yield { path: place2, rule: `must be unique; another one has the same ${field}` }), seen.add(value);
  }
}

// js/gateway/state.ts
function stateOf(config) {
  let { accessKeys, groups, retry = {}, timeouts = {}, limits, exhausted } = config, { maxAttempts, emptyResponses = !1, unanswered, budget = {} } = retry, { share = 0.2, reserve = 10 } = budget, { bodyMs = 3e4, firstByteMs = 12e4, idleMs = 12e4 } = timeouts, { totalMs = Math.max(3e5, firstByteMs) } = timeouts, credentials = groups.reduce((total, group2) => total + group2.credentials.length, 0);
  return {
    counts: { groups: groups.length, credentials },
    access: new AccessTable(accessKeys),
    groups: new Map(groups.map((group2) => [group2.id, group2])),
    timeouts: { bodyMs, firstByteMs, totalMs, idleMs },
    bodyBytes: limits?.bodyBytes ?? 33554432,
    retry: { maxAttempts, emptyResponses, unanswered, share, reserve },
    maxWaitMs: exhausted?.maxWaitMs,
    ownOnly: config.continuations === "own"
  };
}
function routesOf(config) {
  let {
    retry: _,
    timeouts: __,
    limits: ___,
    accessKeys,
    groups,
    blacklist = {},
    ...rest2
  } = config;
  return {
    ...rest2,
    blacklist,
    accessKeys: accessKeys.map(({ sha256: _2, expiresAt, ...key }) => expiresAt === void 0 ? key : { ...key, expiresAt: momentOf(expiresAt) }),
    groups: groups.map(({ baseUrl: _2, validatePath: __2, ...group2 }) => group2)
  };
}
function whyNot({ enabled, expiresAt }, now) {
  if (enabled === !1) return "access_key_disabled";
  if (expiresAt !== void 0 && momentOf(expiresAt) <= now) return "access_key_expired";
}
function modelsFor({ groups }, { groups: granted, models, protocols: protocols2 }, asked) {
  let names = /* @__PURE__ */ new Set(), usable = asked.filter((protocol) => protocols2?.includes(protocol) ?? !0);
  for (let group2 of groups.values()) {
    if (group2.enabled === !1 || granted?.includes(group2.id) === !1 || !usable.some((protocol) => group2.protocols.includes(protocol))) continue;
    let exposed = group2.models ?? group2.credentials.flatMap((one) => one.models ?? []);
    for (let model of exposed) names.add(nameOf(model));
  }
  return [...names].filter((name) => models?.includes(name) ?? !0).sort();
}

// js/gateway/app.ts
function appOf(host) {
  let app = new import_hono.Hono(), methods = /* @__PURE__ */ new Map(), on = (method, path, handle) => {
    app.on(method, path, handle), methods.set(path, [...methods.get(path) ?? [], method]);
  };
  on("GET", "/healthz", async (context) => {
    let status = host.isDisposed() ? "shutting_down" : "ok";
    return context.json({ status, ...host.state().counts }, host.isDisposed() ? 503 : 200);
  });
  for (let route of ROUTES)
    on(
      route.method,
      route.path,
      (context) => answer(
        host,
        context.req.raw,
        route.protocol,
        (call) => pass(host, call, route, nameIn(call, route))
      )
    );
  for (let path of MODEL_LISTS)
    on(
      "GET",
      path,
      (context) => answer(host, context.req.raw, void 0, (call) => list2(host, call))
    ), on("GET", `${path}/*`, (context) => answer(host, context.req.raw, void 0, (call) => show(host, call, path)));
  for (let [path, known] of methods)
    app.all(path, (context) => answer(host, context.req.raw, void 0, async () => {
      let headers = { allow: known.join(", ") };
      throw new Refused("method_not_allowed", "The path does not know this method.", { headers });
    }));
  return app.onError((error, { req: { raw } }) => {
    let protocol = protocolAt(new URL(raw.url), raw.headers);
    return failure(refusedBy(error), protocol, requestIdOf(raw.headers));
  }), app.notFound((context) => answer(host, context.req.raw, void 0, async () => {
    throw nothingThere();
  })), app;
}
async function answer(host, request, of, make) {
  let url = new URL(request.url), protocol = of ?? protocolAt(url, request.headers), requestId = requestIdOf(request.headers), log = new RequestLog(
    { requestId, protocol, method: request.method },
    host.onEvent,
    host.now
  );
  try {
    if (host.isDisposed()) throw new Refused("shutting_down", "The gateway is shutting down.");
    return await make({ request, url, protocol, log, state: host.state() });
  } catch (error) {
    let refused = refusedBy(error), isFault = refused.code === "internal_error" && error instanceof Error;
    return log.end({
      status: statusOf(refused),
      group: null,
      errorCode: refused.code,
      ended: refused.code === "client_closed" ? "cancelled" : "complete",
      ...isFault && { message: error.message }
    }), failure(refused, protocol, requestId);
  }
}
async function pass(host, call, route, name) {
  let { request, url, log, state } = call, accessKey2 = await authenticated(host, call), limits = { bodyBytes: state.bodyBytes, bodyMs: state.timeouts.bodyMs }, arrived = { request, url, route, name, limits }, asked = await route.read(arrived);
  log.about(asked.model);
  let { models } = accessKey2, mayAsk = (model) => models?.some((one) => one === model) ?? !0;
  if (asked.fallbacks?.every(mayAsk) === !1) throw denied("model_not_allowed");
  if (state.ownOnly && continuesTwo(asked))
    throw new Refused("invalid_request", "The body may continue one thing alone.");
  return new Passage(host, state, accessKey2.id, arrived, asked, log).send();
}
function continuesTwo({ body }) {
  let { previous_response_id: response, conversation: conversation2 } = body?.json ?? {};
  return !!response && !!conversation2;
}
async function list2(host, call) {
  let accessKey2 = await authenticated(host, call);
  return told2(call, modelList(modelsOf(call, accessKey2), call.protocol));
}
async function show(host, call, path) {
  let accessKey2 = await authenticated(host, call), name = decoded2(call.url.pathname.slice(path.length + 1));
  if (call.log.about(name), name === void 0 || !modelsOf(call, accessKey2).includes(name)) {
    let message = "The model does not exist, or the access key may not use it.";
    throw new Refused("model_not_found", message, { param: "model" });
  }
  return told2(call, modelObject(name, call.protocol));
}
function modelsOf({ state, protocol }, accessKey2) {
  return modelsFor(state, accessKey2, listedWith(protocol));
}
function told2({ log }, body) {
  let headers = { "content-type": "application/json", "x-request-id": log.requestId };
  return log.end({ status: 200, group: null, errorCode: null, ended: "complete" }), new Response(JSON.stringify(body), { headers });
}
async function authenticated(host, call) {
  let { request, url, protocol, state, log } = call, key = presentedKey(request.headers, url, apiOfProtocol(protocol) === "gemini"), accessKey2 = await state.access.find(key);
  if (accessKey2 === void 0) throw denied("access_key_unknown");
  log.by(accessKey2.id);
  let reason = whyNot(accessKey2, host.now());
  if (reason !== void 0) throw denied(reason);
  return accessKey2;
}
function nameIn({ url: { pathname } }, { path }) {
  let [before, after] = path.split(NAME);
  if (!(before === void 0 || after === void 0) && !(!pathname.startsWith(before) || !pathname.endsWith(after)))
    return decoded2(pathname.slice(before.length, pathname.length - after.length));
}
function decoded2(text3) {
  try {
    return decodeURIComponent(text3);
  } catch {
    return;
  }
}

// js/gateway/changes.ts
init_utf8();
var rest = (event) => ({ class: event.class, scope: event.scope, model: event.model, until: event.until }), verdict = (event) => ({ class: event.class }), nothing = () => ({}), FACTS2 = {
  cooldown: rest,
  paused: rest,
  recovered: nothing,
  disabled: verdict,
  blacklisted: verdict,
  enabled: nothing,
  lease_expired: nothing,
  invalid_credential: ({ field, rule: rule2 }) => ({ message: `${field} ${rule2}` }),
  secret_unresolved: ({ message }) => ({ message })
};
function tellChanges(router, tell2) {
  for (let name of Object.keys(FACTS2)) tellOf(name, router, tell2);
}
function tellOf(change, router, tell2) {
  router.on(change, (event) => {
    let { provider: group2, credential: credential2 } = event, none = { class: null, scope: null, until: null, message: null }, { model, ...facts } = FACTS2[change](event);
    tell2({ type: "credential", ...{ change, group: group2, credential: credential2 }, ...none, ...facts, model: shownModel(model) });
  });
}

// js/gateway/validation.ts
init_utf8();
var MOST_BYTES = 65536, MOST_MS = 3e4;
function unknown(why) {
  return new DOMException(why, "AbortError");
}
function validation(state, dialectOf, send) {
  return async ({ provider: group2, secret: secret2 }) => {
    let found = state().groups.get(group2), [protocol] = found?.protocols ?? [];
    if (found === void 0 || protocol === void 0) throw unknown("its group is gone");
    let { baseUrl, validatePath: path = modelsPath(protocol) } = found;
    if (path === null) throw unknown("nothing tells");
    let outgoing = {
      url: upstreamUrl(baseUrl, path),
      headers: new Headers()
    };
    protocol === "anthropic-messages" && outgoing.headers.set("anthropic-version", "2023-06-01"), placeFor(protocol, dialectOf(group2), outgoing, secret2);
    let response = await send(outgoing.url.href, {
      headers: outgoing.headers,
      redirect: "manual",
      signal: AbortSignal.timeout(MOST_MS)
    }), { bytes, isWhole, body } = await openBody(response, { bytes: MOST_BYTES, ms: MOST_MS });
    isWhole || body.cancel().catch(() => {
    });
    let { status } = response;
    if (status === 404 || status === 405) throw unknown("there is nothing at that path");
    return { status, headers: response.headers, body: bytes };
  };
}

// js/gateway.ts
function createGateway(config, options = {}) {
  let { upstreamFetch = (url, init) => globalThis.fetch(url, init), env } = options, onEvent = options.onEvent && guarded(options.onEvent), { now = Date.now, resolveSecret = env && lookUpIn(env) } = options, state = new Current(config), dialectOf = (group2) => router.dialectOf(group2), work = new Work(), validate = work.tracking(validation(state.now, dialectOf, upstreamFetch)), given = { now, validate, ...resolveSecret && { resolveSecret } }, router = withIssues(() => new import_keyrota8.Router({ ...routesOf(config), ...given }));
  onEvent !== void 0 && tellChanges(router, onEvent);
  let isDisposed = !1, host = {
    router,
    state: state.now,
    budget: state.budget,
    fetch: upstreamFetch,
    now,
    onEvent
  }, app = appOf({ ...host, isDisposed: () => isDisposed });
  return {
    fetch: async (request, _env, context) => {
      let answered = app.fetch(request);
      return context?.waitUntil(work.after(answered)), answered;
    },
    inspect: (query) => router.inspect(query),
    health: () => router.status(),
    reload: (next) => {
      let ready = state.check(next);
      withIssues(() => router.reload({ ...routesOf(next), ...given })), state.take(ready);
    },
    recover: (credential2) => router.recover(credential2),
    recoverQuota: (credential2) => router.recoverQuota(credential2),
    ready: () => router.ready(),
    dispose: () => {
      isDisposed = !0, router.dispose();
    }
  };
}
var Work = class {
  #underway = /* @__PURE__ */ new Set();
  tracking(begin) {
    return (given) => {
      let begun = begin(given), forget = () => this.#underway.delete(begun);
      return this.#underway.add(begun), begun.then(forget, forget), begun;
    };
  }
  /** Settles after that, and after all that goes on by then. */
  async after(answered) {
    await Promise.allSettled([answered]), await Promise.allSettled(this.#underway);
  }
}, Current = class {
  #state;
  #budget;
  constructor(config) {
    this.#state = this.check(config), this.#budget = new RetryBudget(this.#state.retry.share, this.#state.retry.reserve);
  }
  now = () => this.#state;
  budget = () => this.#budget;
  /** Makes a configuration ready, if nothing is wrong with it. */
  check(config) {
    return checkConfig(config), stateOf(config);
  }
  take(state) {
    let { share, reserve } = this.#state.retry;
    share === state.retry.share && reserve === state.retry.reserve || (this.#budget = new RetryBudget(state.retry.share, state.retry.reserve)), this.#state = state;
  }
};
function lookUpIn(env) {
  return (secret2) => {
    let variable = import_keyrota8.Secrets.variableOf(secret2);
    if (variable === null) return secret2;
    let value = Object.hasOwn(env, variable) ? Reflect.get(env, variable) : void 0;
    return typeof value == "string" ? value : void 0;
  };
}
0&&(module.exports={createGateway})
