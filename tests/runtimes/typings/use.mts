// Every public name of the package, as a strict program uses it. It is compiled, not run.
import {
  type AcquireOptions,
  type AcquireRequest,
  type AffinityOptions,
  type ChoiceReason,
  type CooldownOptions,
  type Credential,
  type DisableReason,
  type ErrorCode,
  type ErrorData,
  type ErrorFacts,
  type ExplainedCandidate,
  type Explanation,
  type InlineCredential,
  isKeyrotaError,
  KeyPool,
  type KeyPoolEvent,
  type KeyPoolEvents,
  type KeyPoolOptions,
  KeyrotaError,
  Lease,
  type LeasedCredential,
  type OfCredential,
  type PolicyName,
  type ProviderOptions,
  type ReasonCode,
  type Refusal,
  type RunOptions,
  type Snapshot,
  type StatusRow,
  type StrategyCandidate,
  type StrategyFunction,
  type StrategyName,
  type Verdict,
  type VerdictClass,
} from 'keyrota'
import {
  type AccessKeyConfig,
  type AttemptEvent,
  type CredentialEvent,
  createGateway,
  type Gateway,
  type GatewayConfig,
  type GatewayErrorCode,
  type GatewayEvent,
  type GatewayOptions,
  type GroupConfig,
  type GroupStatus,
  type Inspection,
  type Protocol,
  type RequestContext,
  type RequestEvent,
  type RetryConfig,
  type RouteRequest,
  type TimeoutConfig,
} from 'keyrota/gateway'
import {
  type ApiKeyDisabler,
  type ApiKeyEntry,
  ApiKeyPoolService,
  type ApiKeyPoolServiceOptions,
  type ApiKeyResolver,
  type ApiKeysLoader,
} from 'keyrota/service'
import { initSync, KeyPool as SlimPool } from 'keyrota/slim'

const rows: Credential[] = [{ id: 'a', secret: 'sk-a', label: null, models: ['m'], priority: 1 }]
const inline: InlineCredential = { secret: '$A', weight: 3, order: 0, enabled: true }
const cooldown: CooldownOptions = { baseMs: 1, multiplier: 2, capMs: 3, forgetAfterMs: 4 }
const affinity: AffinityOptions = { capacity: 10, ttlMs: 1_000 }
const policy: PolicyName = 'classic'
const named: StrategyName = 'smooth'
const strategy: StrategyFunction = (candidates: readonly StrategyCandidate[], request) =>
  candidates.find(({ inFlight, picks, label }) => inFlight < picks && label !== null)?.id ??
  request.provider
const ofProvider: ProviderOptions = { policy, strategy, cooldown }
const options: KeyPoolOptions = {
  load: async (provider) => (provider === 'openai' ? rows : []),
  credentials: { anthropic: ['sk-b', inline] },
  disable: (id: string, why: DisableReason) => why.class === 'auth_failed' && id !== '',
  fallbackSecret: () => null,
  resolveSecret: (secret) => Promise.resolve(secret),
  now: () => 0,
  seed: 'seed',
  leaseTtlMs: 1,
  affinity,
  strategy: named,
  providers: { openai: ofProvider },
}

export async function use(): Promise<string> {
  const pool: KeyPool = new KeyPool(options)
  const request: AcquireRequest = { provider: 'openai', session: 's', model: 'm', tried: ['b'] }
  const acquire: AcquireOptions = { ...request, maxWaitMs: 1, signal: new AbortController().signal }
  const lease: Lease = await pool.acquire(acquire)
  const credential: LeasedCredential = lease.credential
  const reason: ChoiceReason = lease.reason
  const verdict: Verdict = await lease.report({ status: 200, headers: new Headers() })
  const kind: VerdictClass = verdict.class

  const answer = pool.tryAcquire(request)
  if (answer.ok) answer.release()
  else throw answer.toError()
  const refused: Refusal | null = answer instanceof Lease ? null : answer

  const run: RunOptions = { ...acquire, idempotent: true, maxAttempts: 2 }
  const status: number = await pool.run(run, ({ secret }, attempt) => secret.length + attempt)

  const explanation: Explanation = pool.explain(request)
  const candidate: ExplainedCandidate | undefined = explanation.candidates[0]
  const why: ReasonCode | undefined = candidate?.reason
  const row: StatusRow | undefined = pool.status('openai')[0]

  const name: KeyPoolEvent = 'cooldown'
  const off: () => void = pool.on(name, (event: KeyPoolEvents['cooldown']) => event.until)
  pool.on('enabled', (event: OfCredential) => event.credential)
  off()
  const snapshot: Snapshot = pool.snapshot()
  pool.restore(snapshot)
  pool.dispose()
  return [credential.id, reason, kind, refused, status, why, row?.until].join()
}

export function read(error: unknown): ErrorFacts | ErrorCode {
  if (error instanceof KeyrotaError) {
    const data: ErrorData = error.toJSON()
    return data
  }
  return isKeyrotaError(error, 'disposed') ? error.code : 'not_loaded'
}

const loadKeys: ApiKeysLoader = (providerId): ApiKeyEntry[] => [
  { id: 'one', providerId, apiKey: 'sk-one', enabled: true, weight: 1 },
]
const disableKey: ApiKeyDisabler = () => true
const resolveKey: ApiKeyResolver = (key) => key
const ofService: ApiKeyPoolServiceOptions = { loadKeys, disableKey, resolveKey, now: () => 0 }
export const key: Promise<string> = new ApiKeyPoolService(ofService).getKey('openai')

initSync(new Uint8Array())
export const slim: SlimPool = new SlimPool(options)

const accessKeys: AccessKeyConfig[] = [{ id: 'team', sha256: '', expiresAt: '2027-01-31' }]
const protocol: Protocol = 'openai-chat'
const group: GroupConfig = {
  id: 'main',
  baseUrl: 'https://api.openai.com',
  protocols: [protocol, 'openai-responses'],
  models: ['m', { name: 'fast', upstream: 'm-mini' }],
  credentials: [{ id: 'one', secret: '$KEY', weight: 75 }],
  cooldown,
}
const retry: RetryConfig = { maxAttempts: 3, budget: { share: 0.2 } }
const timeouts: TimeoutConfig = { firstByteMs: 1 }
const config: GatewayConfig = { accessKeys, groups: [group], strategy: named, retry, timeouts }
const codeOf = (event: GatewayEvent): GatewayErrorCode | null => {
  const told: AttemptEvent | CredentialEvent | RequestEvent = event
  return told.type === 'credential' ? null : told.errorCode
}
const ofGateway: GatewayOptions = {
  env: { KEY: 'sk' },
  onEvent: (event) => codeOf(event),
  upstreamFetch: (url, init) => fetch(url, init),
}
const gateway: Gateway = createGateway(config, ofGateway)
const asked: RouteRequest = { accessKey: 'team', protocol, model: 'm' }
export const inspected: Inspection = gateway.inspect(asked)
export const groups: GroupStatus[] = gateway.health()
export const served: Promise<Response> = gateway.fetch(new Request('http://localhost'))
const context: RequestContext = { waitUntil: (work) => void work }
/** As tools write the bindings of a Worker: an interface, which has no index signature. */
interface Env {
  readonly OPENAI_KEY: string
}
declare const env: Env
export const ofEnv: Gateway = createGateway(config, { env })
export const inWorker: Promise<Response> = gateway.fetch(new Request('http://l'), {}, context)

// @ts-expect-error a field that does not exist
createGateway({ accessKeys, groups: [], strateg: named })
// @ts-expect-error a protocol that does not exist
createGateway({ accessKeys, groups: [{ ...group, protocols: ['openai'] }] })
// @ts-expect-error an option that does not exist
new KeyPool({ credential: {} })
// @ts-expect-error an event that does not exist
new KeyPool(options).on('cooled', () => {})
