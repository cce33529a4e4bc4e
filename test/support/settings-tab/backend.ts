import type {
  CreateKeyBody,
  KeyOperation,
  RotateKeyBody,
  WireKey,
  WireKeyEvent,
  WireResourceType,
  WireUsageBucket,
} from '../../../adapters/client/index.ts'
import { KEY_OPERATIONS } from '../../../adapters/http/lib/management/wire/key-operations.ts'
import type { Grantable, KeyDenialReason } from '../../../src/index.ts'
import { KEY_DENIAL_REASONS } from '../../../src/storage/index.ts'
import { catalogue } from './catalogue.ts'
import { fewKeys, keyOf, listOf, manyKeys, now } from './keys.ts'

/** A request as the backend saw it. */
export interface SeenRequest {
  readonly method: string
  /** Below the base address, without the query. */
  readonly path: string
  readonly search: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

const revokedNow = { status: 'revoked', revokedAt: new Date(now).toISOString() } as const

/** What goes back: an answer, or a connection that is cut after the request was taken in. */
export type Reply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'cut'

/** What a request is to meet instead of the backend's own answer. */
export type Script = (request: SeenRequest) => Reply | Promise<Reply> | undefined

/**
 * A management backend in memory that speaks the wire as the real one does, keeps every request, and
 * can be scripted to fail in each way.
 */
export class ScriptedBackend {
  keys: WireKey[]
  activeKeyLimit: number | null = 5
  maxLifetimeSeconds: number | null = null
  maxOverlapSeconds = 604_800
  publicApi = true
  allowedOperations: readonly KeyOperation[] = KEY_OPERATIONS
  pageSize = 50
  grantable: Grantable | null = null
  /** The types of resources, and the names of those that have one. */
  types: readonly WireResourceType[] = []
  named: Readonly<Record<string, string>> = {}
  workspaceId = 'ws_1'
  brand = 'svc'
  /** The requests of every key on each of the last days; `null` on a host without a history. */
  usage: readonly WireUsageBucket[] | null = null
  /** What happened to every key, newest first; `null` on a host without the route. */
  events: readonly WireKeyEvent[] | null = null
  readonly seen: SeenRequest[] = []
  readonly secrets: string[] = []
  #scripts: { readonly matches: string; readonly script: Script; once: boolean }[] = []

  constructor(keys: readonly WireKey[] = fewKeys) {
    this.keys = [...keys]
  }

  /** Meets the next request whose "METHOD /path" starts so with this. */
  next(matches: string, reply: Reply | Script): void {
    this.#scripts.push({ matches, script: scriptOf(reply), once: true })
  }

  /** Meets all such requests until `heal`. */
  always(matches: string, reply: Reply | Script): void {
    this.#scripts.push({ matches, script: scriptOf(reply), once: false })
  }

  /** Keeps the next such request waiting, without an answer, until it is let go. */
  hold(matches: string): { readonly arrived: Promise<void>; release(): void } {
    const arrived = gate()
    const held = gate()
    this.next(matches, async (request) => {
      arrived.open()
      await held.passed
      return this.answer(request)
    })
    return { arrived: arrived.passed, release: held.open }
  }

  heal(): void {
    this.#scripts = []
  }

  /** The requests seen so far whose "METHOD /path" starts so. */
  requests(matches: string): readonly SeenRequest[] {
    return this.seen.filter(({ method, path }) => isLike(`${method} ${path}`, matches))
  }

  async handle(request: SeenRequest): Promise<Reply> {
    this.seen.push(request)
    const line = `${request.method} ${request.path}`
    const scripted = this.#scripts.find(({ matches }) => isLike(line, matches))
    if (scripted?.once) this.#scripts = this.#scripts.filter((one) => one !== scripted)
    return (await scripted?.script(request)) ?? this.answer(request)
  }

  /** The honest answer. */
  answer(request: SeenRequest): Reply {
    const shown = request.headers['miftah-workspace']
    if (shown !== undefined && decodeURIComponent(shown) !== this.workspaceId) {
      return problem(409, 'workspace_changed')
    }
    const [, , id, verb] = request.path.split('/')
    if (request.method === 'GET' && request.path === '/scopes') {
      return ok(200, { ...catalogue, resources: this.types, brand: this.brand })
    }
    if (request.method === 'GET' && id && request.path.startsWith('/resources/')) {
      return this.#resources(request)
    }
    if (request.method === 'GET' && request.path === '/keys') return this.#list(request)
    if (request.method === 'GET' && verb === 'usage') return this.#usage(id)
    if (request.method === 'GET' && verb === 'events') return this.#history(request, id)
    if (request.method === 'GET' && id) return this.#read(id)
    if (request.headers['content-type'] !== 'application/json')
      return problem(415, 'unsupported_media_type')
    if (!this.allowedOperations.includes(operationOf(request, verb))) {
      return problem(403, 'operation_not_allowed')
    }
    if (request.path === '/keys') return this.#create(request.body as CreateKeyBody)
    if (request.method === 'PATCH') return this.#update(request, id)
    if (verb === 'pause' || verb === 'resume') return this.#pause(id, verb)
    if (verb === 'rotate') return this.#rotate(id, request.body as RotateKeyBody)
    if (verb === 'revoke') return this.#revoke(id)
    return problem(404, 'key_not_found')
  }

  get activeKeys(): number {
    return this.keys.filter(({ status }) => status === 'active' || status === 'paused').length
  }

  #list({ search }: SeenRequest): Reply {
    const query = new URLSearchParams(search)
    const limit = Number(query.get('limit') ?? this.pageSize)
    const from = Number(query.get('cursor') ?? 0)
    const found = this.keys.filter((key) => matches(key, query))
    const { activeKeyLimit, activeKeys, allowedOperations, grantable, publicApi } = this
    const { maxLifetimeSeconds, maxOverlapSeconds, workspaceId } = this
    const answer = listOf(found.slice(from, from + limit), {
      ...{ activeKeyLimit, activeKeys, allowedOperations, grantable, publicApi, workspaceId },
      ...{ maxLifetimeSeconds, maxOverlapSeconds },
      nextCursor: from + limit < found.length ? String(from + limit) : null,
      total: from === 0 ? found.length : null,
    })
    return ok(200, answer)
  }

  #create({ expiresAt = null, ...body }: CreateKeyBody): Reply {
    if (!this.publicApi) return problem(403, 'plan_required')
    if (this.activeKeyLimit !== null && this.activeKeys >= this.activeKeyLimit) {
      return problem(409, 'active_key_limit_reached')
    }
    return ok(201, this.#issue({ ...(body as WireKey), expiresAt }))
  }

  #resources({ search }: SeenRequest): Reply {
    const query = new URLSearchParams(search)
    const ids = query.getAll('id')
    const text = (query.get('search') ?? '').toLowerCase()
    const all = Object.entries(this.named).map(([id, name]) => ({ id, name }))
    const found = all.filter(({ id, name }) =>
      ids.length > 0 ? ids.includes(id) : name.toLowerCase().includes(text),
    )
    return ok(200, { resources: found, nextCursor: null })
  }

  #usage(id = ''): Reply {
    if (!this.keys.some((one) => one.id === id)) return problem(404, 'key_not_found')
    if (this.usage === null) return problem(409, 'usage_not_kept')
    return ok(200, { buckets: this.usage })
  }

  #history({ search }: SeenRequest, id = ''): Reply {
    if (this.events === null) return problem(404, 'not_found')
    if (!this.keys.some((one) => one.id === id)) return problem(404, 'key_not_found')
    const query = new URLSearchParams(search)
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit') ?? 50)
    const nextCursor = to < this.events.length ? String(to) : null
    return ok(200, { events: this.events.slice(from, to), nextCursor })
  }

  #read(id: string): Reply {
    const key = this.keys.find((one) => one.id === id)
    return key ? ok(200, { key }) : problem(404, 'key_not_found')
  }

  #update({ headers, body }: SeenRequest, id = ''): Reply {
    const key = this.keys.find((one) => one.id === id)
    if (!key) return problem(404, 'key_not_found')
    if (headers['if-match'] !== `"${key.version}"`) return problem(412, 'stale', { key })
    return ok(200, { key: this.changeElsewhere(id, body as Partial<WireKey>) })
  }

  #pause(id = '', verb: 'pause' | 'resume'): Reply {
    const paused = verb === 'pause'
    const key = this.changeElsewhere(id, {
      status: paused ? 'paused' : 'active',
      pausedAt: paused ? new Date(now).toISOString() : null,
      pausedBy: paused ? { id: 'u_1', name: 'نورة العتيبي' } : null,
    })
    return key ? ok(200, { key }) : problem(404, 'key_not_found')
  }

  /** Changes a key as if another session had done it. */
  changeElsewhere(id: string, change: Partial<WireKey>): WireKey | undefined {
    this.keys = this.keys.map((key) =>
      key.id === id ? { ...key, ...change, version: key.version + 1 } : key,
    )
    return this.keys.find((key) => key.id === id)
  }

  #rotate(id = '', { overlapSeconds = 0 }: RotateKeyBody): Reply {
    const old = this.keys.find((key) => key.id === id)
    if (!old) return problem(404, 'key_not_found')
    if (old.status === 'revoked') return problem(409, 'key_revoked')
    const { name, environment, scopes } = old
    const retiresAt = new Date(now + overlapSeconds * 1_000).toISOString()
    const issued = this.#issue({ name: `${name} (rotated)`, environment, scopes }, { replaces: id })
    const replacedBy = issued.key.id
    const replaced =
      overlapSeconds > 0
        ? this.changeElsewhere(id, { status: 'retiring', retiresAt, replacedBy })
        : this.changeElsewhere(id, { ...revokedNow, replacedBy })
    return ok(201, { ...issued, replaced })
  }

  #revoke(id = ''): Reply {
    const key = this.keys.find((one) => one.id === id)
    if (!key) return problem(404, 'key_not_found')
    return ok(200, { key: key.status === 'revoked' ? key : this.revokeElsewhere(id) })
  }

  /** Revokes a key as if another session had done it. */
  revokeElsewhere(id: string): WireKey | undefined {
    return this.changeElsewhere(id, revokedNow)
  }

  #issue(
    fields: Partial<WireKey> & Pick<WireKey, 'environment'>,
    lineage: Partial<WireKey> = {},
  ): { key: WireKey; secret: string } {
    const secret = secretFor(fields.environment, this.secrets.length)
    this.secrets.push(secret)
    const key = keyOf({
      ...fields,
      ...lineage,
      expiresAt: fields.expiresAt ?? null,
      id: `key_new${this.secrets.length}`,
      prefix: secret.slice(0, 12),
      createdAt: new Date(now).toISOString(),
      lastUsedAt: null,
      uses: 0,
    })
    this.keys = [key, ...this.keys]
    return { key, secret }
  }
}

/** Thirty days up to the clock of the tests, with so many requests on each. */
export function daysOf(
  accepted: (at: number) => number,
  refused: (at: number) => number = () => 0,
): readonly WireUsageBucket[] {
  const none = Object.fromEntries(KEY_DENIAL_REASONS.map((reason) => [reason, 0])) as Record<
    KeyDenialReason,
    number
  >
  return Array.from({ length: 30 }, (_, at) => ({
    startsAt: new Date(now - (29 - at) * 86_400_000).toISOString(),
    endsAt: new Date(now - (28 - at) * 86_400_000).toISOString(),
    accepted: accepted(at),
    denied: { ...none, insufficient_scope: refused(at) },
  }))
}

/** Whether a request begins so; `GET /keys` is the list alone, and nothing about a single key. */
function isLike(line: string, matches: string): boolean {
  return matches === 'GET /keys' ? line === matches : line.startsWith(matches)
}

/** Whether a key is one of those that a list asks for. */
function matches(key: WireKey, query: URLSearchParams): boolean {
  const statuses = query.getAll('status')
  const unusedFor = Number(query.get('unusedForDays') ?? 0) * 86_400_000
  const words = (query.get('search') ?? '').toLowerCase().split(' ')
  const text = [key.name, key.prefix, key.id].join(' ').toLowerCase()
  return (
    (statuses.length === 0 || statuses.includes(key.status)) &&
    (query.get('environment') ?? key.environment) === key.environment &&
    Date.parse(key.lastUsedAt ?? key.createdAt) <= now - unusedFor &&
    words.every((word) => text.includes(word))
  )
}

/** A problem answer of the wire. */
export function problem(
  status: number,
  code: string,
  extra: {
    readonly headers?: Record<string, string>
    readonly issues?: readonly unknown[]
    readonly key?: WireKey
  } = {},
): Reply {
  const { headers = {}, ...members } = extra
  return {
    status,
    body: { type: 'about:blank', title: code, status, detail: code, code, ...members },
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  }
}

function ok(status: number, body: unknown): Reply {
  return { status, body }
}

// Says what it is, so that no scanner and no reader takes it for a real one.
function secretFor(environment: string, index: number): string {
  const start = `k${String(index).padStart(2, '0')}TESTONLYdoNOTuse`
  return `svc_${environment}_${start}${'q7Wz3RbL9tXc5Yp1Nd8Mf2Gh6'.repeat(2)}`.slice(0, 55)
}

function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open: () => open() }
}

function operationOf({ method }: SeenRequest, verb = 'create'): KeyOperation {
  return method === 'PATCH' ? 'updateKey' : (`${verb}Key` as KeyOperation)
}

function scriptOf(reply: Reply | Script): Script {
  return typeof reply === 'function' ? reply : () => reply
}

/** A backend with many keys, and no limit to them. */
export function many(count: number, fields: Partial<WireKey> = {}): ScriptedBackend {
  return Object.assign(new ScriptedBackend(manyKeys(count, fields)), { activeKeyLimit: null })
}
