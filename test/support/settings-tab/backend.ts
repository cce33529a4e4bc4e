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

/** What goes back: an answer, or a connection that is cut after the request was taken in. */
export type Reply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'cut'

/** What a request is to meet instead of the backend's own answer. */
export type Script = (request: SeenRequest) => Reply | Promise<Reply>

/**
 * A management backend in memory that speaks the wire as the real one does, keeps every request, and
 * can be scripted to fail in each way.
 */
export class ScriptedBackend {
  keys: readonly WireKey[]
  activeKeyLimit: number | null = 5
  maxLifetimeSeconds: number | null = null
  maxOverlapSeconds = 604_800
  publicApi = true
  allowedOperations: readonly KeyOperation[] = KEY_OPERATIONS
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
  #scripts: { readonly matches: string; readonly reply: Reply | Script; readonly once: boolean }[] =
    []

  constructor(keys: readonly WireKey[] = fewKeys, fields: Partial<ScriptedBackend> = {}) {
    this.keys = keys
    Object.assign(this, fields)
  }

  /** Meets the next request whose "METHOD /path" starts so with this. */
  next(matches: string, reply: Reply | Script): void {
    this.#scripts.push({ matches, reply, once: true })
  }

  /** Meets all such requests until `heal`. */
  always(matches: string, reply: Reply | Script): this {
    this.#scripts.push({ matches, reply, once: false })
    return this
  }

  /** Keeps the next such request waiting, without an answer, until it is let go. */
  hold(matches: string): { readonly arrived: Promise<void>; release(): void } {
    const [arrived, held] = [gate(), gate()]
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
    return this.seen.filter((request) => isLike(request, matches))
  }

  async handle(request: SeenRequest): Promise<Reply> {
    this.seen.push(request)
    const scripted = this.#scripts.find(({ matches }) => isLike(request, matches))
    if (scripted?.once) this.#scripts = this.#scripts.filter((one) => one !== scripted)
    const { reply } = scripted ?? { reply: () => this.answer(request) }
    return typeof reply === 'function' ? reply(request) : reply
  }

  /** The honest answer. */
  answer(request: SeenRequest): Reply {
    const shown = request.headers['miftah-workspace']
    if (shown !== undefined && decodeURIComponent(shown) !== this.workspaceId) {
      return problem(409, 'workspace_changed')
    }
    return request.method === 'GET' ? this.#read(request) : this.#change(request)
  }

  /** Changes a key as if another session had done it. */
  changeElsewhere(id: string, change: Partial<WireKey>): WireKey | undefined {
    this.keys = this.keys.map((key) =>
      key.id === id ? { ...key, ...change, version: key.version + 1 } : key,
    )
    return this.#find(id)
  }

  /** Revokes a key as if another session had done it. */
  revokeElsewhere(id: string): WireKey | undefined {
    return this.changeElsewhere(id, { status: 'revoked', revokedAt: new Date(now).toISOString() })
  }

  get #activeKeys(): number {
    return this.keys.filter(({ status }) => status === 'active' || status === 'paused').length
  }

  #find(id: string | undefined): WireKey | undefined {
    return this.keys.find((key) => key.id === id)
  }

  #read({ path, search }: SeenRequest): Reply {
    const [, place, id, part] = path.split('/')
    const query = new URLSearchParams(search)
    if (place === 'scopes') return ok({ ...catalogue, resources: this.types, brand: this.brand })
    if (place === 'resources') return ok({ resources: this.#resources(query), nextCursor: null })
    if (id === undefined) return this.#list(query)
    if (part === 'events' && this.events === null) return problem(404, 'not_found')
    const key = this.#find(id)
    if (key === undefined) return problem(404, 'key_not_found')
    if (part === 'events') return ok(pageOf('events', this.events ?? [], query))
    if (part === undefined) return ok({ key })
    return this.usage === null ? problem(409, 'usage_not_kept') : ok({ buckets: this.usage })
  }

  #list(query: URLSearchParams): Reply {
    const found = this.keys.filter((key) => matches(key, query))
    const page = pageOf('keys', found, query)
    const { activeKeyLimit, allowedOperations, grantable, publicApi } = this
    const { maxLifetimeSeconds, maxOverlapSeconds, workspaceId } = this
    const total = query.has('cursor') ? null : found.length
    return ok({
      ...listOf([], { activeKeyLimit, allowedOperations, grantable, publicApi, workspaceId }),
      ...{ maxLifetimeSeconds, maxOverlapSeconds, total, activeKeys: this.#activeKeys, ...page },
    })
  }

  #resources(query: URLSearchParams) {
    const ids = query.getAll('id')
    const text = (query.get('search') ?? '').toLowerCase()
    return Object.entries(this.named)
      .map(([id, name]) => ({ id, name }))
      .filter(({ id, name }) =>
        ids.length > 0 ? ids.includes(id) : name.toLowerCase().includes(text),
      )
  }

  #change({ path, headers, body }: SeenRequest): Reply {
    const [, , id, verb = id === undefined ? 'create' : 'update'] = path.split('/')
    if (headers['content-type'] !== 'application/json')
      return problem(415, 'unsupported_media_type')
    if (!this.allowedOperations.includes(`${verb}Key` as KeyOperation)) {
      return problem(403, 'operation_not_allowed')
    }
    if (id === undefined) return this.#create(body as CreateKeyBody)
    const key = this.#find(id)
    if (key === undefined) return problem(404, 'key_not_found')
    if (verb === 'rotate') return this.#rotate(key, body as RotateKeyBody)
    if (verb === 'revoke') return ok({ key: this.revokeElsewhere(id) })
    if (verb === 'update' && headers['if-match'] !== `"${key.version}"`) {
      return problem(412, 'stale', { key })
    }
    const by = { pausedAt: new Date(now).toISOString(), pausedBy: { id: 'u_1', name: 'نورة' } }
    const changes: Readonly<Record<string, Partial<WireKey>>> = {
      update: body as Partial<WireKey>,
      pause: { status: 'paused', ...by },
      resume: { status: 'active', pausedAt: null, pausedBy: null },
    }
    return ok({ key: this.changeElsewhere(id, changes[verb] ?? {}) })
  }

  #create({ expiresAt = null, ...body }: CreateKeyBody): Reply {
    if (!this.publicApi) return problem(403, 'plan_required')
    if (this.activeKeyLimit !== null && this.#activeKeys >= this.activeKeyLimit) {
      return problem(409, 'active_key_limit_reached')
    }
    return ok(this.#issue({ ...(body as WireKey), expiresAt }), 201)
  }

  #rotate(old: WireKey, { overlapSeconds = 0 }: RotateKeyBody): Reply {
    const { id, name, environment, scopes, status } = old
    if (status === 'revoked') return problem(409, 'key_revoked')
    const retiresAt = new Date(now + overlapSeconds * 1_000).toISOString()
    const issued = this.#issue({ name: `${name} (rotated)`, environment, scopes, replaces: id })
    if (overlapSeconds === 0) this.revokeElsewhere(id)
    else this.changeElsewhere(id, { status: 'retiring', retiresAt })
    return ok({ ...issued, replaced: this.changeElsewhere(id, { replacedBy: issued.key.id }) }, 201)
  }

  #issue(fields: Partial<WireKey> & Pick<WireKey, 'environment'>) {
    const secret = secretFor(fields.environment, this.secrets.length)
    this.secrets.push(secret)
    const id = `key_new${this.secrets.length}`
    const unused = { createdAt: new Date(now).toISOString(), lastUsedAt: null, uses: 0 }
    const key = keyOf({ ...fields, ...unused, id, prefix: secret.slice(0, 12) })
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
function isLike({ method, path }: SeenRequest, matches: string): boolean {
  const line = `${method} ${path}`
  return matches === 'GET /keys' ? line === matches : line.startsWith(matches)
}

/** The part of a list that a query asks for, by default of 50, and where the next begins. */
function pageOf(name: string, all: readonly unknown[], query: URLSearchParams) {
  const from = Number(query.get('cursor') ?? 0)
  const to = from + Number(query.get('limit') ?? 50)
  return { [name]: all.slice(from, to), nextCursor: to < all.length ? String(to) : null }
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

const ok = (body: unknown, status = 200): Reply => ({ status, body })

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
  return { passed, open }
}

/** A backend with many keys, and no limit to them. */
export function many(count: number, fields: Partial<WireKey> = {}): ScriptedBackend {
  return new ScriptedBackend(manyKeys(count, fields), { activeKeyLimit: null })
}
