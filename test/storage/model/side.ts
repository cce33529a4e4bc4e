import { createHash } from 'node:crypto'
import {
  ApiKeyError,
  type ApiKeys,
  createApiKeys,
  defineResources,
  type Entitlements,
  plans,
} from '../../../src/index.ts'
import type { HeldKey, KeyStorage } from '../../../src/storage/index.ts'

export const WORKSPACES = ['ws_a', 'ws_b', 'ws_c'] as const
export type Method = 'read' | 'write' | 'addUses'

/** How a call fails: with nothing stored, or on the way back. */
export type Fault = 'busy' | 'lost'

const MAX_HOUR = 2 ** 31 - 1
const UNKNOWN = 'key_000000000000000000000'

/** The library over one of the two storages. Its clock moves by steps only. */
export class Side {
  readonly keys: ApiKeys
  /** Past the faults. */
  readonly storage: KeyStorage
  readonly plans = new Map<string, Entitlements>()
  readonly #secrets = new Map<string, string>()
  readonly #faults: Record<Method, Fault[]> = { read: [], write: [], addUses: [] }
  readonly #names = new Map<string, string>()
  #stored: readonly HeldKey[] = []

  constructor(
    storage: KeyStorage,
    readonly isFaulty: boolean,
    public nowMs: number,
  ) {
    this.storage = storage
    this.keys = createApiKeys({
      storage: this.#faulty(),
      entitlements: (workspaceId) => this.plans.get(workspaceId) ?? plans.business,
      entitlementsTtlMs: 0,
      usageFlushMs: 2 ** 31 - 1,
      storageTimeoutMs: 60_000,
      resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
      formats: [{ id: 'old', test: (text) => text.startsWith('old_'), digest }],
      now: () => new Date(this.nowMs),
    })
  }

  /** The next calls of a method fail. */
  arm(method: Method, faults: readonly Fault[]): void {
    if (this.isFaulty) this.#faults[method] = [...faults]
  }

  /** One of the stored keys. */
  pick(number: number): { readonly id: string; readonly workspaceId: string; version: number } {
    const { record } = this.#stored[number % Math.max(1, this.#stored.length)] ?? {}
    return record ?? { id: UNKNOWN, workspaceId: WORKSPACES[0], version: 1 }
  }

  secretOf(number: number): string {
    return this.#secrets.get(this.pick(number).id) ?? 'svc_live_unknown'
  }

  /** What a call comes to, by names that are the same for both sides. */
  async outcome(work: (side: Side) => Promise<unknown>): Promise<string> {
    try {
      return this.#named(await work(this))
    } catch (error) {
      if (error instanceof ApiKeyError) return error.code
      throw error
    }
  }

  /** All that is stored, by names that are the same for both sides. */
  async state(): Promise<unknown> {
    const workspaces = await Promise.all(WORKSPACES.map((id) => this.#stateOf(id)))
    this.#stored = workspaces.flatMap(({ keys }) => keys)
    const due = await this.storage.due({ atMs: this.nowMs, limit: 1_000 })
    const places = workspaces.map(({ keys }) => keys.map(({ place }) => place))
    const inOrder = places.every((all) => all.every((place, at) => place > (all[at - 1] ?? 0)))
    return JSON.parse(
      this.#named([workspaces, due.map(({ record }) => record.noticeAtMs), inOrder]),
    )
  }

  async #stateOf(workspaceId: string) {
    const query = { status: null, environment: null, atMs: this.nowMs, countUpTo: 1_000 }
    const { events } = await this.storage.events(workspaceId, { after: null, limit: 10_000 })
    const page = { after: null, oldestFirst: true, limit: 10_000 }
    const counts = await this.storage.usage(workspaceId, {
      id: null,
      fromHour: 0,
      toHour: MAX_HOUR,
    })
    const used = counts?.map(({ hour, outcome, count }) => `${hour} ${outcome} ${count}`).sort()
    return { ...(await this.storage.list(workspaceId, { ...query, ...page })), events, used }
  }

  /** Ids get the number of their first appearance; what is random otherwise is left out. */
  #named(value: unknown): string {
    const text = JSON.stringify(value ?? null, (field, inner) => {
      if (inner?.secret !== undefined) this.#secrets.set(inner.key.id, inner.secret)
      return ['secret', 'hash', 'prefix', 'replacementPrefix', 'place'].includes(field)
        ? undefined
        : inner
    })
    return text.replace(/\b(key|evt)_[\w-]{21}/g, (id, kind) => {
      const name = this.#names.get(id) ?? `${kind} ${this.#names.size}`
      this.#names.set(id, name)
      return name
    })
  }

  #faulty(): KeyStorage {
    return new Proxy(this.storage, {
      get: (target, name: keyof KeyStorage) => {
        const method: unknown = target[name]
        if (typeof method !== 'function') return method
        return async (...given: unknown[]) => {
          const fault = this.#faults[name as Method]?.shift()
          if (fault === 'busy') throw Object.assign(new Error('busy'), { code: 'busy' })
          const answer: unknown = await method.apply(target, given)
          if (fault === 'lost') throw new Error('lost')
          return answer
        }
      },
    })
  }
}

/** As another system stores its secrets. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
