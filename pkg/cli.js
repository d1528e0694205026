#!/usr/bin/env node

// js/wasm/utf8.ts
var platform = globalThis, Utf8Decoder = class {
  decode(bytes = new Uint8Array()) {
    let escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`);
    return decodeURIComponent(escaped.join(""));
  }
}, Utf8Encoder = class {
  encode(text) {
    let units = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "�")).match(/%..|./g) ?? [];
    return Uint8Array.from(
      units,
      (unit) => unit.length === 1 ? unit.charCodeAt(0) : Number.parseInt(unit.slice(1), 16)
    );
  }
}, TextDecoder = platform.TextDecoder ?? Utf8Decoder, TextEncoder = platform.TextEncoder ?? Utf8Encoder;

// js/cli.ts
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { classify, isKeyrotaError } from "keyrota";

// js/cli/dump.ts
var STATUS_LINE = /^HTTP\/[\d.]+ +(\d{3})\b.*$/;
function readDump(text) {
  let dump = { body: text }, rest = text;
  for (; ; ) {
    let [line = ""] = rest.split(/\r?\n/, 1), status = STATUS_LINE.exec(line)?.[1];
    if (status === void 0) return dump;
    let end = /\r?\n\r?\n/.exec(rest), head = end === null ? rest : rest.slice(0, end.index);
    rest = end === null ? "" : rest.slice(end.index + end[0].length);
    let headers2 = readHeaders(head.slice(line.length));
    dump = { status: Number(status), headers: headers2, body: rest };
  }
}
function readHeaders(text) {
  return text.split(/\r?\n/).map((line) => /^([^\s:]+):\s*(.*?)\s*$/.exec(line)).flatMap((match) => match === null ? [] : [[match[1] ?? "", match[2] ?? ""]]);
}

// js/cli/words.ts
var MEANING = {
  ok: "the attempt succeeded",
  rate_limited: "too many requests for now",
  overloaded: "the provider is too busy, whoever asks",
  quota_exhausted: "the quota or the balance is used up",
  auth_failed: "the secret was refused",
  model_denied: "the credential may not use this model or feature",
  client_error: "the request itself is wrong",
  over_key_limit: "this one request is greater than what the credential is ever allowed",
  server_error: "the provider failed",
  egress_blocked: "something between the app and the provider refused",
  unknown_outcome: "the request was sent, and what became of it is unknown",
  client_aborted: "the caller gave up"
}, ABOUT = {
  none: "nothing",
  request: "this request alone",
  credential: "the credential",
  model: "the credential for this model",
  account: "every credential of the account",
  provider: "the provider as a whole",
  egress: "the way to the provider"
}, RESTS_ON = {
  code: "a structured code",
  sentence: "a known sentence in an error field",
  html: "a page in place of an answer",
  status: "the status alone"
};
function inWords(verdict, model) {
  let { class: kind, scope, waitMs, waitFrom, evidence, disable, retryOther } = verdict, about = scope === "model" && model !== void 0 ? `the credential for ${model}` : ABOUT[scope];
  return [
    ["class", kind, MEANING[kind]],
    ["scope", scope, about],
    ["evidence", evidence, RESTS_ON[evidence]],
    ["wait", waitMs === null ? "none stated" : `${seconds(waitMs)} s`, waitFrom ?? ""],
    ["key", disable ? "dead" : "alive", disable ? "disable it" : ""],
    ["other key", retryOther ? "may help" : "does not help", ""]
  ].map(([name = "", value = "", why]) => {
    let told = `${name.padEnd(10)} ${value}`;
    return why === "" ? told : `${told.padEnd(28)} ${why}`;
  }).join(`
`);
}
function seconds(ms) {
  return (ms / 1e3).toString();
}

// js/cli.ts
var HELP = `keyrota classify --provider NAME [options] [FILE]

Says what an answer of a provider means: whose fault it is, how long to wait, whether the key is dead and
whether another key may fare better.

FILE is what 'curl -i' printed; '-', or no FILE and none of --status, --headers, --body and --network, reads
it from the standard input.

  --provider NAME   whose rules read it: openai, anthropic, gemini, … or any (required)
  --status CODE     the HTTP status
  --headers FILE    the headers, one 'name: value' a line, or a JSON object
  --body FILE       the body
  --model NAME      the model that was asked for
  --network CODE    the error code when no answer came, such as ECONNRESET
  --phase PHASE     before_send, sent_no_response, before_content, after_content or response
  --rules FILE      your own rules, as a JSON list: they go first
  --now TIME        the local time as an ISO date or milliseconds; by default now
  --json            prints the verdict as JSON

Exit status: 0 for a verdict, whatever it is; 2 when the call is wrong.
`, OPTIONS = {
  provider: { type: "string" },
  status: { type: "string" },
  headers: { type: "string" },
  body: { type: "string" },
  model: { type: "string" },
  network: { type: "string" },
  phase: { type: "string" },
  rules: { type: "string" },
  now: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" }
}, UsageError = class extends Error {
};
function main(args) {
  let { values, positionals } = parse(args), [command, file, ...more] = positionals;
  if (values.help || command === void 0) {
    console.log(HELP);
    return;
  }
  if (command !== "classify") throw new UsageError(`there is no command ${command}; try --help`);
  if (more.length > 0) throw new UsageError("one FILE at the most");
  if (values.provider === void 0) throw new UsageError("--provider is needed, such as openai");
  let given = values.status ?? values.headers ?? values.body ?? values.network;
  if (file !== void 0 && given !== void 0)
    throw new UsageError("either FILE or --status, --headers, --body and --network");
  let dump = file !== void 0 || given === void 0 ? readDump(read(file ?? "-")) : {};
  if ("body" in dump && dump.status === void 0)
    throw new UsageError("there is no status line: use 'curl -i', or --status and --body");
  let { provider, model, network, phase } = values, verdict = classify({
    provider,
    ...dump,
    ...values.status !== void 0 && { status: Number(values.status) },
    ...values.headers !== void 0 && { headers: headers(values.headers) },
    ...values.body !== void 0 && { body: read(values.body) },
    ...values.rules !== void 0 && { rules: json(values.rules, read(values.rules)) },
    ...values.now !== void 0 && { now: time(values.now) },
    model,
    networkCode: network,
    phase
  });
  console.log(values.json ? JSON.stringify(verdict, null, 2) : inWords(verdict, model));
}
function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: !0 });
  } catch (error) {
    throw new UsageError(error.message);
  }
}
function read(file) {
  try {
    let bytes = readFileSync(file === "-" ? 0 : file), coding = bytes[0] === 255 && bytes[1] === 254 ? "utf-16le" : "utf-8";
    return new TextDecoder(coding).decode(bytes);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  }
}
function headers(file) {
  let text = read(file);
  if (!/^\s*[{[]/.test(text)) return readHeaders(text);
  let parsed = json(file, text);
  return (Array.isArray(parsed) ? parsed : Object.entries(parsed)).map(([name, value]) => [name, String(value)]);
}
function json(file, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${error.message}`);
  }
}
function time(text) {
  return /^\d+$/.test(text) ? Number(text) : text;
}
try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError || isKeyrotaError(error))) throw error;
  console.error(`keyrota: ${error.message}`), process.exitCode = 2;
}
