// Many gateways in one isolate, each for the requests that name it in `x-scene`. One request makes it, others use
// it: what belongs to a request of a Worker must not outlive it.
import { createGateway } from 'keyrota/gateway'

const gateways = new Map()

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url)
    const scene = request.headers.get('x-scene')
    if (pathname === '/make') {
      const events = []
      const options = { onEvent: (event) => events.push(event) }
      gateways.set(scene, { events, gateway: createGateway(await request.json(), options) })
      return new Response()
    }
    const { events, gateway } = gateways.get(scene)
    if (pathname === '/events') return Response.json(events)
    if (pathname === '/health') return Response.json(gateway.health())
    return gateway.fetch(request, env, context)
  },
}
