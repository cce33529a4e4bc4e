import type { ApiKeys } from '../../../src/index.ts'
import type { SeenAnswer } from './report.ts'

interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends calls to one host and keeps every answer, and every secret in one. */
export class Caller {
  readonly answers: SeenAnswer[] = []
  readonly secrets: string[] = []
  readonly #portOf: (path: string) => number

  constructor(portOf: (path: string) => number) {
    this.#portOf = portOf
  }

  /** The JSON of the answer; text goes out as it is, anything else as JSON. */
  async call(path: string, { method, body, headers = {} }: Call = {}) {
    const response = await fetch(`http://127.0.0.1:${this.#portOf(path)}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = jsonOf(text)
    const isIssued = response.status === 201
    if (isIssued) this.secrets.push(json.secret)
    this.answers.push({
      call: `answer ${this.answers.length} (${response.status})`,
      status: response.status,
      headers: [...response.headers].map((line) => line.join(': ')).join('\n'),
      body: text,
      isIssued,
    })
    return json
  }

  use(path: string, authorization: string) {
    return this.call(path, { headers: { authorization } })
  }
}

interface Stage {
  readonly keys: ApiKeys
  readonly caller: Caller
  readonly state: { outage: boolean; unknownPlan: boolean }
}

const KEYS = '/api/settings/keys'
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

/** Leads some keys through their life and every misuse of a secret; the errors that were thrown. */
export async function lead(stage: Stage): Promise<readonly unknown[]> {
  const { caller, state } = stage
  const { key, secret } = await caller.call(KEYS, { body: NEW_KEY })
  await caller.use('/contacts', `Bearer ${secret}`)
  await caller.use('/broken', `Bearer ${secret}`)
  await misuse(caller, secret)
  state.outage = true
  await everything(caller, key.id, secret)
  const faults = await thrown(stage, key.id, secret)
  state.outage = false
  state.unknownPlan = true
  await everything(caller, key.id, secret)
  state.unknownPlan = false
  const { key: next, secret: nextSecret } = await caller.call(`${KEYS}/${key.id}/rotate`, {
    body: {},
  })
  await caller.use('/contacts', `Bearer ${secret}`)
  await caller.use('/contacts', `Bearer ${nextSecret}`)
  await caller.call(`${KEYS}/${key.id}/rotate`, { body: {} })
  await caller.call(`${KEYS}/${next.id}/revoke`, { body: {} })
  await end(stage)
  return [...faults, ...(await thrown(stage, key.id, secret))]
}

async function everything(caller: Caller, id: string, secret: string) {
  await caller.call(KEYS)
  await caller.call(KEYS, { body: NEW_KEY })
  await caller.use('/contacts', `Bearer ${secret}`)
  await caller.call('/api/settings/scopes')
  await endpoints(caller, secret)
  await caller.call(`${KEYS}/${id}/rotate`, { body: { [secret]: secret } })
}

/** A secret wherever a client can put one. */
async function misuse(caller: Caller, secret: string) {
  const headers = [
    `Basic ${secret}`,
    `Bearer ${secret} x`,
    `Bearer ${secret}x`,
    `Bearer ${secret},a`,
  ]
  const mistyped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
  for (const value of [...headers, `Bearer ${mistyped}`, secret, `Bearer ${secret.repeat(12)}`]) {
    await caller.use('/contacts', value)
  }
  const paths = [`/${secret}/revoke`, `/${secret}/rotate`, `?cursor=${secret}`, `?${secret}=1`]
  for (const path of [...paths, `?status=${secret}`]) {
    await caller.call(KEYS + path, path.startsWith('?') ? {} : { body: {} })
  }
  const bodies = [
    `{"name":"${secret}`,
    JSON.stringify(secret),
    { ...NEW_KEY, [secret]: 1 },
    { ...NEW_KEY, environment: secret },
    { ...NEW_KEY, scopes: [secret] },
    { ...NEW_KEY, name: [secret] },
    { ...NEW_KEY, name: `\u202e${secret}` },
    `{"${secret}":1,"${secret}":2}`,
  ]
  for (const body of bodies) await caller.call(KEYS, { body })
  await caller.call(KEYS, { body: secret, headers: { 'content-type': `text/${secret}` } })
  await caller.call(KEYS, { body: NEW_KEY, headers: { origin: `https://${secret}.example` } })
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A secret in every part of a call of a resource server or a proxy. */
async function endpoints(caller: Caller, secret: string) {
  const headers = { ...FORM, authorization: `Bearer ${secret}` }
  const forms = ['', `&token=${secret}`, `&miftah_resource=${secret}`, `&client_address=${secret}`]
  for (const form of forms) {
    await caller.call('/introspect', { body: `token=${secret}${form}`, headers })
  }
  await caller.call('/introspect', { body: JSON.stringify({ token: secret }) })
  await caller.call(`/introspect?token=${secret}`)
  const targets = [
    '/contacts',
    '/broken',
    `/${secret}`,
    `/broken/${secret}`,
    `/contacts/../${secret}`,
  ]
  for (const target of targets) {
    const original = { 'x-original-method': 'GET', 'x-original-uri': target }
    await caller.call('/auth', { headers: { ...original, authorization: `Bearer ${secret}` } })
    await caller.call('/auth', { headers: { ...original, authorization: secret } })
  }
}

/** A secret whose holder ends it: in an outage, in the query, twice in one form, and at last for good. */
async function end({ caller, state }: Stage) {
  const { secret } = await caller.call(KEYS, { body: NEW_KEY })
  await endpoints(caller, secret)
  const body = `token=${secret}`
  state.outage = true
  await caller.call('/revoke', { body, headers: FORM })
  state.outage = false
  await caller.call(`/revoke?${body}`, { body: '', headers: FORM })
  await caller.call('/revoke', { body: `${body}&${body}`, headers: FORM })
  await caller.call('/revoke', { body, headers: FORM })
  return endpoints(caller, secret)
}

/** What the operations themselves throw at a secret in the wrong place. */
async function thrown({ keys }: Stage, id: string, secret: string): Promise<readonly unknown[]> {
  const actor = { id: secret, name: `\0${secret}` }
  const workspaceId = 'ws_1'
  const attempts = [
    keys.authenticate(`Bearer ${secret}`, null),
    keys.authenticate(`Bearer ${secret}`, secret as never),
    keys.revokeKey({ workspaceId, id: secret, actor: { id: 'u', name: 'n' } }),
    keys.rotateKey({ workspaceId, id, actor: { id: 'u', name: 'n' } }),
    keys.rotateKey({ workspaceId, id, actor }),
    keys.createKey({ ...NEW_KEY, workspaceId, creator: actor } as never),
    keys.createKey({ [secret]: secret } as never),
    keys.listKeys({ workspaceId, cursor: secret }),
    keys.listEvents({ workspaceId, cursor: secret }),
    keys.findKeyBySecret(secret),
  ]
  const outcomes = await Promise.allSettled(attempts)
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome.value))
}

function jsonOf(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
