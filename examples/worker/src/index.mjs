// A gateway in a Cloudflare Worker: its configuration is the variable CONFIG of wrangler.jsonc, and the secrets
// that it names by `$NAME` are secrets of the Worker (`npx wrangler secret put OPENAI_KEY_1`).
import { createGateway } from 'keyrota/gateway'

let gateway

export default {
  fetch(request, env, context) {
    // Not before the first request: a Worker has its variables, its time and its chance only then.
    gateway ??= createGateway(env.CONFIG, {
      env,
      // One line of JSON for each attempt, each request and each change of a key, without secrets, bodies and headers.
      onEvent: (event) => console.log(JSON.stringify(event)),
    })
    // With the context a request that its client left still frees its key.
    return gateway.fetch(request, env, context)
  },
}
