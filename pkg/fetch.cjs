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

// js/fetch.ts
var fetch_exports = {};
__export(fetch_exports, {
  pooledFetch: () => pooledFetch
});
module.exports = __toCommonJS(fetch_exports);

// js/wasm/utf8.ts
var platform = globalThis, Utf8Decoder = class {
  decode(bytes = new Uint8Array()) {
    let escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`);
    return decodeURIComponent(escaped.join(""));
  }
}, Utf8Encoder = class {
  encode(text2) {
    let units = encodeURIComponent(text2.replaceAll(/\p{Surrogate}/gu, "�")).match(/%..|./g) ?? [];
    return Uint8Array.from(
      units,
      (unit) => unit.length === 1 ? unit.charCodeAt(0) : Number.parseInt(unit.slice(1), 16)
    );
  }
}, TextDecoder = platform.TextDecoder ?? Utf8Decoder, TextEncoder = platform.TextEncoder ?? Utf8Encoder;

// js/fetch.ts
var import_keyrota5 = require("keyrota");

// js/fetch/budget.ts
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

// js/fetch/attempt.ts
var import_keyrota3 = require("keyrota");

// js/fetch/answer.ts
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
var EventReader = class {
  /** The line that has not ended yet, in pieces: an image may come in one line of megabytes. */
  #pieces = [];
  #name = "";
  #data = [];
  /** The events that are complete now. */
  push(text2) {
    let events = [];
    if (!(this.#pieces.at(-1)?.endsWith("\r") === !0) && !/[\r\n]/.test(text2))
      return text2 !== "" && this.#pieces.push(text2), events;
    let lines = (this.#pieces.join("") + text2).split(/\r\n|\n|\r(?!$)/), rest = lines.pop() ?? "";
    this.#pieces = rest === "" ? [] : [rest];
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
    let { delta, text: text2, content } = choice ?? {};
    (Object.entries(delta ?? {}).some(
      ([field, value]) => field !== "role" && value !== "" && value !== null && value !== void 0
    ) || text2 || content?.parts !== void 0) && (kind = "content");
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
function shownUrl(url, secret) {
  return url.includes("?") ? hidden(url, secret) : url;
}
function showUrl(response, url, secret) {
  let shown = shownUrl(url, secret);
  return shown !== response.url && Object.defineProperty(response, "url", { value: shown }), response;
}
function withoutSecret(error, secret, depth = 0) {
  if (!(error instanceof Error) || depth >= 5) return error;
  for (let field of Object.getOwnPropertyNames(error)) {
    let { value, configurable } = Object.getOwnPropertyDescriptor(error, field) ?? {};
    if (typeof value != "string") continue;
    let text2 = hidden(value, secret);
    text2 !== value && configurable && Object.defineProperty(error, field, { value: text2 });
  }
  let { errors } = error;
  for (let one of Array.isArray(errors) ? errors : []) withoutSecret(one, secret, depth + 1);
  return withoutSecret(error.cause, secret, depth + 1), error;
}
function hidden(text2, secret) {
  if (secret === "") return text2;
  let inQuery = new URLSearchParams({ k: secret }).toString().slice(2);
  return text2.replaceAll(secret, "…").replaceAll(inQuery, "…").replaceAll(encodeURIComponent(secret), "…");
}

// js/fetch/stream.ts
var import_keyrota2 = require("keyrota");

// js/fetch/tell.ts
var import_keyrota = require("keyrota");
async function tell(lease, outcome) {
  try {
    return await lease.report(outcome);
  } catch (error) {
    if ((0, import_keyrota.isKeyrotaError)(error, "disposed")) return;
    throw error;
  }
}
function remember(lease, ids) {
  try {
    for (let id of ids) lease.remember(id);
  } catch (error) {
    if (!(0, import_keyrota.isKeyrotaError)(error, "disposed")) throw error;
  }
}

// js/fetch/stream.ts
var MOST_HELD_BYTES = 262144;
function isEventStream(response) {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}
async function openStream(response, watch) {
  if (response.body === null) return { response };
  let reader = response.body.getReader(), events = new EventReader(), decoder2 = new TextDecoder(), head = await readHead(reader, events, decoder2, watch.holdsEmpty);
  if (remember(watch.lease, head.made), head.error !== void 0) {
    let verdict = await reportEvent(head.error, "before_content", watch);
    if (verdict !== void 0 && verdict.class !== "ok")
      return {
        response: rebuilt(response, passed(head.chunks, reader), watch.lease.secret),
        verdict
      };
  }
  if (head.isEmpty) {
    let body2 = passed(head.chunks, reader);
    return { response: rebuilt(response, body2, watch.lease.secret), isEmpty: !0 };
  }
  let isNothing = head.announced || head.chunks.length === 0;
  if (head.done && isNothing && !head.hasContent) throw cut("before_content");
  let tail = new Tail(events, decoder2, head, watch);
  await tail.judge(head.later);
  let body = watched(head, reader, tail);
  return { response: rebuilt(response, body, watch.lease.secret) };
}
async function readHead(reader, events, decoder2, holdsEmpty) {
  let chunks = [], made = [], size = 0, announced = !1, ended = !1, nothing = { error: void 0, done: !1, hasContent: !1, isEmpty: !1, later: [] }, facts = () => ({ chunks, made, announced, ended }), head = (more) => ({ ...nothing, ...facts(), ...more });
  for (; size < MOST_HELD_BYTES; ) {
    let { done, value } = await reader.read();
    value !== void 0 && (chunks.push(value), size += value.byteLength);
    let text2 = decoder2.decode(value, { stream: !done }), seen = done ? [...events.push(text2), ...events.rest()] : events.push(text2);
    for (let [at, event] of seen.entries()) {
      announced ||= announcesEnd(event), made.push(...idsMadeBy(event));
      let kind = kindOf(event), later = seen.slice(kind === "error" ? at + 1 : at);
      if (kind === "error") return head({ error: event, done, later });
      if (holdsEmpty && (0, import_keyrota2.isEmptyEvent)(event.name, event.data)) {
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
  constructor(events, decoder2, head, watch) {
    this.#events = events, this.#decoder = decoder2, this.#watch = watch, this.#ended = head.ended, this.#hasContent = head.hasContent, this.#announced = head.announced, watch.signal?.addEventListener("abort", this.#gaveUp);
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
    let text2 = this.#decoder.decode(chunk, { stream: chunk !== void 0 });
    await this.judge(this.#events.push(text2)), chunk === void 0 && await this.judge(this.#events.rest());
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
    let failure = { cause: error, phase: this.#phase() };
    await this.#report(this.#watch.signal?.aborted ? { name: "AbortError" } : failure);
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

`, verdict = (0, import_keyrota2.classifyStreamEvent)({ provider: dialect, event, phase, model });
  return verdict.class === "ok" ? verdict : tell(lease, { status: 200, headers: { "content-type": "text/event-stream" }, body: event, phase });
}
function rebuilt(response, body, secret) {
  let { status, statusText } = response, headers = new Headers(response.headers);
  headers.delete("content-encoding"), headers.delete("content-length");
  let copy = new Response(body, { status, statusText, headers });
  return showUrl(copy, response.url, secret);
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
  let response = await attempt.send(), isStream2 = response.body !== null && isEventStream(response);
  if (response.ok && isStream2 && !asksForRecord(attempt)) {
    let { response: opened, verdict, isEmpty } = await openStream(response, attempt);
    return isEmpty ? new import_keyrota3.EmptyAnswer(opened) : verdict === void 0 ? new import_keyrota3.Underway(opened) : opened;
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
  let answer = rebuilt(response, body, lease.secret);
  return holdsEmpty && response.ok && isWhole && (0, import_keyrota3.isEmptyText)(decoder.decode(bytes)) ? new import_keyrota3.EmptyAnswer(answer) : answer;
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

// js/fetch/body.ts
var NO_BODY = {
  next: () => null,
  replayable: !0,
  json: void 0,
  isStream: !1,
  contentType: void 0
};
async function readBody(body, type, most) {
  if (body == null) return NO_BODY;
  if (typeof body == "string") return kept(body, /json/i.test(type) ? parsed2(body) : void 0);
  if (body instanceof FormData) {
    let encoded = new Response(body), contentType = encoded.headers.get("content-type") ?? void 0, model = body.get("model"), json = typeof model == "string" ? { model } : void 0;
    return { ...kept((await encoded.blob()).slice(), json), contentType };
  }
  if (!isStream(body)) {
    let isJson2 = /json/i.test(type) && (ArrayBuffer.isView(body) || body instanceof ArrayBuffer);
    return kept(body, isJson2 ? parsed2(new TextDecoder().decode(body)) : void 0);
  }
  return most > 0 && body instanceof ReadableStream ? readStream(body, type, most) : once(body);
}
function isStream(body) {
  let { [Symbol.asyncIterator]: iterator } = body;
  return body instanceof ReadableStream || typeof iterator == "function";
}
async function bodyOf(asked, type) {
  if (asked.body === null || asked.method === "GET" || asked.method === "HEAD") return null;
  if (asked.body !== void 0 && !/json|text|form/i.test(type)) return asked.body;
  let bytes = await asked.arrayBuffer();
  return bytes.byteLength > 0 ? bytes : null;
}
async function readStream(body, type, most) {
  let reader = body.getReader(), chunks = [], size = 0;
  for (; size <= most; ) {
    let { done, value } = await reader.read();
    if (done) {
      let blob = new Blob(chunks);
      return kept(blob, /json/i.test(type) ? parsed2(await blob.text()) : void 0);
    }
    chunks.push(value), size += value.byteLength;
  }
  return once(passed(chunks, reader));
}
function kept(body, json) {
  return { next: () => body, replayable: !0, json, isStream: !1, contentType: void 0 };
}
function once(body) {
  return { ...NO_BODY, next: () => body, replayable: !1, isStream: !0 };
}
function parsed2(text2) {
  try {
    let json = JSON.parse(text2);
    return typeof json == "object" && json !== null && !Array.isArray(json) ? json : void 0;
  } catch {
    return;
  }
}

// js/fetch/deadline.ts
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
var SESSION_HEADERS = ["x-session-id", "session-id", "session_id", "x-conversation-id"];
function modelOf({ json, url }) {
  if (typeof json?.model == "string") return json.model;
  let model = /\/(?:models|deployments|model)\/([^/:]+(?:\/[^/:]+)?)(?=[:/]|$)/.exec(url.pathname)?.[1];
  return model === void 0 ? void 0 : decoded(model.split("/")[0] ?? model);
}
function decoded(text2) {
  try {
    return decodeURIComponent(text2);
  } catch {
    return text2;
  }
}
function mayStream({ json, url }) {
  return json?.stream === !0 || /stream/i.test(url.pathname);
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
  let { system, systemInstruction, instructions, tools, messages, input, contents } = json, turns = [messages, typeof input == "string" ? [{ role: "user", content: input }] : input, contents].find((list) => Array.isArray(list)), first = turns?.findIndex(isByUser) ?? -1;
  if (turns === void 0 || first < 0) return;
  let beginning = turns.slice(0, first + 1).map((turn) => [turn?.role ?? "user", wordsOf(turn?.content ?? turn?.parts)]);
  try {
    return JSON.stringify([system, systemInstruction, instructions, tools, beginning], withoutMarks);
  } catch {
    return;
  }
}
function isByUser(turn) {
  return typeof turn != "object" || turn === null ? !1 : turn.role === "user" || turn.role === void 0;
}
function wordsOf(content) {
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

// js/fetch/apis.ts
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

// js/fetch/inject.ts
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
function place(outgoing, secret, dialect, { header, inQuery } = takeOut(outgoing, dialect)) {
  if (inQuery && outgoing.url.searchParams.set("key", secret), inQuery && header === void 0) return;
  let name = header ?? BY_API[apiOf(dialect)];
  name === "x-api-key" && ANTHROPIC_TOKEN.test(secret) && (name = "authorization"), outgoing.headers.set(name, name === "authorization" ? `Bearer ${secret}` : secret);
}

// js/fetch/signals.ts
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

// js/fetch/call.ts
var CARRIED = [
  "cache",
  "credentials",
  "integrity",
  "keepalive",
  "mode",
  "redirect",
  "referrer",
  "referrerPolicy"
], Call = class _Call {
  #options;
  #dialect;
  #facts;
  #init;
  #body;
  #model;
  /** Ends a request that takes too long, and a stream that nobody reads any more. */
  #own;
  /** The caller's, and the own one. */
  #signal;
  #deadline;
  /** Where the key of the SDK stood. */
  #slot;
  constructor(facts, init, body, options, dialect) {
    this.#facts = facts, this.#init = init, this.#body = body, this.#options = options, this.#dialect = dialect, this.#model = modelOf(facts);
    let { timeoutMs } = options;
    (timeoutMs !== void 0 || mayStream(facts)) && (this.#own = new AbortController());
    let signals = [init.signal, this.#own?.signal].filter((one) => one != null);
    this.#signal = signals.length > 0 ? anyOf(signals) : void 0, timeoutMs !== void 0 && (this.#deadline = new Deadline(timeoutMs, "timeoutMs", this.#own));
  }
  /** Reads what `fetch` was called with. */
  static async of(input, init, options, dialect) {
    let asked = input instanceof Request ? input : void 0, headers = new Headers(init?.headers ?? asked?.headers), type = headers.get("content-type") ?? "", given = init?.body ?? (asked && await bodyOf(asked, type)), body = await readBody(given, type, options.maxBufferedBytes ?? 0);
    body.contentType !== void 0 && headers.set("content-type", body.contentType);
    let shared = urlOf(asked?.url ?? String(input)), url = options.session === void 0 ? shared : new URL(shared), method = (init?.method ?? asked?.method ?? "GET").toUpperCase(), signal = init?.signal ?? asked?.signal ?? null, facts = { url, method, headers, json: body.json }, carried = asked && carriedBy(asked);
    return new _Call(facts, { ...carried, ...init, method, signal }, body, options, dialect);
  }
  /** Whether it may be sent more than once. */
  get replayable() {
    return this.#body.replayable;
  }
  /** What the pool needs to know of it. */
  request() {
    let { provider, session = sessionOf, maxAttempts, maxWaitMs, idempotent } = this.#options, { method, headers } = this.#facts, isSafe = method === "GET" || method === "HEAD" || headers.has("idempotency-key");
    return {
      provider,
      session: session(
        // A callback may keep the headers, and a secret is put into them later.
        session === sessionOf ? this.#facts : { ...this.#facts, headers: new Headers(headers) }
      ),
      model: this.#model,
      continues: continuedBy(this.#facts),
      idempotent: idempotent ?? isSafe,
      signal: this.#signal,
      ...maxAttempts !== void 0 && { maxAttempts },
      ...maxWaitMs !== void 0 && { maxWaitMs }
    };
  }
  /** One attempt with one credential. It differs from the last one in the secret alone. */
  attempt(lease) {
    let { method, url } = this.#facts;
    return makeAttempt({
      lease,
      dialect: this.#dialect,
      model: this.#model,
      method,
      url,
      signal: this.#init.signal ?? void 0,
      stop: () => this.#own?.abort(),
      holdsEmpty: this.#options.retryEmptyResponses === !0,
      send: () => this.#send(lease.secret)
    });
  }
  async #send(secret) {
    let { url, headers } = this.#outgoing(secret);
    return (this.#options.fetch ?? globalThis.fetch)(url.href, {
      ...this.#init,
      headers,
      body: this.#body.next(),
      signal: this.#signal ?? null,
      ...this.#body.isStream && { duplex: "half" }
    });
  }
  /** The answer has begun, or there is none: its time is no longer counted. */
  end() {
    this.#deadline?.end();
  }
  /** The request with this secret. What was sent is kept apart from what is sent next. */
  #outgoing(secret) {
    let { url, headers } = this.#facts, { inject } = this.#options, mayUse = this.#slot === void 0 && inject === void 0, outgoing = {
      url: url.search === "" && inject === void 0 ? url : new URL(url),
      headers: mayUse ? headers : new Headers(headers)
    }, slot = takeOut(outgoing, this.#dialect);
    return this.#slot ??= slot, inject === void 0 ? place(outgoing, secret, this.#dialect, this.#slot) : inject(outgoing, secret), outgoing;
  }
}, lastUrl;
function urlOf(text2) {
  if (lastUrl?.text === text2) return lastUrl.url;
  let isWhole = /^[a-z][a-z\d+.-]*:/i.test(text2), url = isWhole ? new URL(text2) : new URL(text2, globalThis.location?.href);
  return isWhole && (lastUrl = { text: text2, url }), url;
}
function carriedBy(asked) {
  let plain = new Request(asked.url), said = CARRIED.filter((name) => asked[name] !== void 0 && asked[name] !== plain[name]);
  return Object.fromEntries(said.map((name) => [name, asked[name]]));
}

// js/fetch/options.ts
var import_keyrota4 = require("keyrota"), { anyCallback, fields, nonEmptyText, numberFrom, wholeFrom, yesOrNo } = import_keyrota4.Options, check = fields({
  provider: nonEmptyText,
  dialect: nonEmptyText,
  session: anyCallback,
  inject: anyCallback,
  fetch: anyCallback,
  maxAttempts: wholeFrom(1),
  maxWaitMs: wholeFrom(0),
  timeoutMs: wholeFrom(1),
  maxBufferedBytes: wholeFrom(0),
  idempotent: yesOrNo,
  retryEmptyResponses: yesOrNo,
  retryBudget: fields({ share: numberFrom(0, 10), reserve: wholeFrom(0) })
});
function checkOptions(options) {
  check("", options ?? null), options.provider === void 0 && nonEmptyText("provider", void 0);
}

// js/fetch/shapes.ts
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
function refusalResponse(error, dialect) {
  let { code, message } = error, retryAfterMs = askAgainIn(error), status = retryAfterMs === null ? 503 : 429;
  return errorResponse(apiOf(dialect), { status, code, message, retryAfterMs });
}

// js/fetch.ts
function pooledFetch(pool, options) {
  checkOptions(options);
  let { share = 0.2, reserve = 10 } = options.retryBudget ?? {}, budget = new RetryBudget(share, reserve), dialect = options.dialect ?? pool.dialectOf(options.provider);
  return async (input, init) => {
    let call = await Call.of(input, init, options, dialect);
    budget.deposit();
    try {
      let retry = (verdict) => call.replayable && budget.allows(verdict), request = { ...call.request(), retry };
      return await pool.run(request, (lease) => call.attempt(lease));
    } catch (error) {
      if (!(0, import_keyrota5.isKeyrotaError)(error, "no_credential_available")) throw error;
      return refusalResponse(error, dialect);
    } finally {
      call.end();
    }
  };
}
0&&(module.exports={pooledFetch})
