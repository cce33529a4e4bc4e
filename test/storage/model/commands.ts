import type fc from 'fast-check'
import { expect } from 'vitest'
import {
  type ApiKey,
  type DefaultScope,
  type Entitlements,
  type Environment,
  ERASED_PERSON,
  type KeyStatus,
} from '../../../src/index.ts'
import { type FaultKind, outcome, type Real } from './real.ts'
import type { Edit, ModelKey, NewKey, Reference } from './reference.ts'

/*
 * One class for each thing that can happen. Each does it to the library, says from the reference
 * what had to come of it, and then compares everything that is stored.
 */

type Command = fc.AsyncCommand<Reference, Real>

export const WORKSPACES = ['ws_a', 'ws_b', 'ws_c'] as const
const ACTOR = { id: 'u_actor', name: 'نورة' }
const SUFFIX = ' (rotated)'

abstract class Base implements Command {
  check(): boolean {
    return true
  }

  async run(model: Reference, real: Real): Promise<void> {
    await this.act(model, real)
    await compare(model, real)
  }

  protected abstract act(model: Reference, real: Real): Promise<void>
  abstract toString(): string
}

interface Fields {
  readonly workspaceId: string
  readonly name: string
  readonly environment: Environment
  readonly scopes: readonly DefaultScope[]
  /** When the key expires, from its creation; `null` for never. */
  readonly lifetimeMs: number | null
}

/** The input of a create, and what the reference is to know of it. */
function made({ lifetimeMs, ...fields }: Fields, { nowMs }: Reference) {
  const expiresAtMs = lifetimeMs === null ? null : nowMs + lifetimeMs
  const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs)
  return { input: { ...fields, expiresAt, creator: ACTOR }, known: { ...fields, expiresAtMs } }
}

export class Create extends Base {
  constructor(readonly fields: Fields) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const { workspaceId } = this.fields
    const plan = model.ask(workspaceId)
    const armed = plan.publicApi ? real.faults.get('insert') : undefined
    const { input, known } = made(this.fields, model)
    const came = await outcome(real.keys.createKey(input))
    const limit = plan.activeKeyLimit
    const isErased = model.erased.has(workspaceId)
    const isCounted = limit !== null && plan.publicApi && !isErased && armed !== 'refused'
    const room = !isCounted || model.countActive(workspaceId) < limit
    if (armed === 'lost' && room && !isErased) {
      await adoptNewest(model, real, { ...known, replaces: null })
    }
    if (armed !== undefined) return expect(came).toEqual({ refused: 'fault' })
    if (!plan.publicApi) return expect(came).toEqual({ refused: 'plan_required' })
    if (isErased) return expect(came).toEqual({ refused: 'workspace_erased' })
    if (!room) return expect(came).toEqual({ refused: 'active_key_limit_reached' })
    if (!('ok' in came)) return expect.fail(`refused: ${came.refused}`)
    const { key, secret } = came.ok
    model.add({ ...known, id: key.id, secret, creator: ACTOR, replaces: null })
    model.log(key, 'api_key.created')
  }

  toString = () => `create(${JSON.stringify(this.fields)})`
}

export class CreateMany extends Base {
  constructor(
    readonly fields: Fields,
    readonly count: number,
  ) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    real.faults.clear()
    const { workspaceId } = this.fields
    const plan = model.ask(workspaceId)
    const { input, known } = made(this.fields, model)
    const calls = Array.from({ length: this.count }, () => outcome(real.keys.createKey(input)))
    const created = (await Promise.all(calls)).flatMap((came) => ('ok' in came ? [came.ok] : []))
    const isOpen = plan.publicApi && !model.erased.has(workspaceId)
    const limit = plan.activeKeyLimit
    const isCounted = isOpen && limit !== null
    const room = isCounted ? Math.max(0, limit - model.countActive(workspaceId)) : 1_000
    expect(created).toHaveLength(isOpen ? Math.min(room, this.count) : 0)
    const order = await storedIds(real, workspaceId)
    created.sort((a, b) => order.indexOf(b.key.id) - order.indexOf(a.key.id))
    for (const { key, secret } of created) {
      model.add({ ...known, id: key.id, secret, creator: ACTOR, replaces: null })
      model.log(key, 'api_key.created')
    }
  }

  toString = () => `${this.count} × create(${JSON.stringify(this.fields)})`
}

/** Which key an operation is about: one of the known ones, asked for in some workspace. */
export interface Target {
  readonly workspaceId: string
  readonly pick: number
}

function targetOf(model: Reference, { workspaceId, pick }: Target) {
  const known = model.keys[pick % Math.max(1, model.keys.length)]
  const id = known?.id ?? 'key_000000000000000000000'
  return { id, key: model.find(workspaceId, id) }
}

/** Why a key that is neither revoked nor replaced is not changed, or `null`. */
function refusalOf(model: Reference, key: ModelKey): string | null {
  if (key.revokedAtMs !== null) return 'key_revoked'
  if (key.replacedBy !== null) return 'key_rotated'
  return model.statusOf(key) === 'expired' ? 'key_expired' : null
}

export class Rotate extends Base {
  constructor(
    readonly target: Target,
    readonly times: number,
    readonly overlapSeconds: number,
  ) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const { workspaceId } = this.target
    const { overlapSeconds } = this
    const { id, key } = targetOf(model, this.target)
    if (this.times > 1) real.faults.clear()
    const arm = armedOf(real, ['findById', 'rotate'])
    const calls = Array.from({ length: this.times }, () =>
      outcome(real.keys.rotateKey({ workspaceId, id, actor: ACTOR, overlapSeconds })),
    )
    const outcomes = await Promise.all(calls)
    const refused = (code: string) =>
      expect(outcomes).toEqual(Array(this.times).fill({ refused: code }))
    if (arm.findById !== undefined) return refused('fault')
    if (key === undefined) return refused('key_not_found')
    const plan = model.ask(workspaceId)
    if (!plan.publicApi) return refused('plan_required')
    const reason = refusalOf(model, key)
    if (reason !== null) return refused(reason)
    if (overlapSeconds > 0 && key.pausedAtMs !== null) return refused('invalid_input')
    if (model.hasExpired(key)) return refused(arm.rotate === undefined ? 'key_expired' : 'fault')
    const limit = plan.activeKeyLimit ?? Number.POSITIVE_INFINITY
    const isFull = overlapSeconds > 0 && model.retiring(workspaceId) >= limit
    if (arm.rotate === 'refused' || (arm.rotate === 'lost' && isFull)) return refused('fault')
    if (isFull) return refused('overlap_limit_reached')
    const fresh = successor(key, model)
    if (arm.rotate === 'lost') {
      refused('fault')
      return adoptNewest(model, real, fresh, { key, overlapMs: overlapSeconds * 1_000 })
    }
    const won = outcomes.flatMap((came) => ('ok' in came ? [came.ok] : []))
    const lost = outcomes.flatMap((came) => ('refused' in came ? [came.refused] : []))
    const code = overlapSeconds > 0 ? 'key_rotated' : 'key_revoked'
    expect(lost).toEqual(Array(this.times - 1).fill(code))
    const [{ key: issued, secret } = expect.fail('nobody won')] = won
    model.add({ ...fresh, id: issued.id, secret })
    model.replace(key, issued.id, overlapSeconds * 1_000)
    model.log(key, 'api_key.rotated')
  }

  toString = () =>
    `${this.times} × rotate(${JSON.stringify(this.target)}, ${this.overlapSeconds} s)`
}

/** Pauses, resumes or updates a key. */
export class Change extends Base {
  constructor(
    readonly target: Target,
    readonly kind: 'pause' | 'resume' | 'update',
    readonly edit: Edit,
  ) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const { workspaceId } = this.target
    const { id, key } = targetOf(model, this.target)
    const arm = armedOf(real, ['findById', 'update'])
    const came = await outcome(this.call(model, real, { workspaceId, id, actor: ACTOR }, key))
    const refused = (code: string) => expect(came).toEqual({ refused: code })
    if (arm.findById !== undefined) return refused('fault')
    if (key === undefined) return refused('key_not_found')
    const reason = refusalOf(model, key)
    if (reason !== null) return refused(reason)
    const change = this.changeOf(model, key)
    if (change === null) return expect(came).toEqual({ ok: asKey(model, key) })
    if (this.needsPlan(key, change) && !model.ask(workspaceId).publicApi) {
      return refused('plan_required')
    }
    if (model.hasExpired(key)) return refused(arm.update === undefined ? 'key_expired' : 'fault')
    if (arm.update !== 'refused') {
      model.change(key, change)
      const types = { pause: 'paused', resume: 'resumed', update: 'updated' }
      model.log(key, `api_key.${types[this.kind]}`)
    }
    if (arm.update !== undefined) return refused('fault')
    expect(came).toEqual({ ok: asKey(model, key) })
  }

  private call(
    { nowMs }: Reference,
    real: Real,
    asked: Parameters<Real['keys']['pauseKey']>[0],
    key?: ModelKey,
  ) {
    if (this.kind === 'pause') return real.keys.pauseKey(asked)
    if (this.kind === 'resume') return real.keys.resumeKey(asked)
    const { lifetimeMs, ...change } = this.edit
    const expiresAt = typeof lifetimeMs === 'number' ? new Date(nowMs + lifetimeMs) : lifetimeMs
    const given = expiresAt === undefined ? change : { ...change, expiresAt }
    return real.keys.updateKey({ ...asked, version: key?.version ?? 1, change: given })
  }

  /** What changes in the key; `null` for nothing. */
  private changeOf(model: Reference, key: ModelKey): Partial<ModelKey> | null {
    if (this.kind === 'update') return model.edited(key, this.edit)
    const isPause = this.kind === 'pause'
    if (isPause === (key.pausedAtMs !== null)) return null
    return isPause
      ? { pausedAtMs: model.nowMs, pausedBy: ACTOR }
      : { pausedAtMs: null, pausedBy: null }
  }

  /** Whether the host is asked for the plan: a key is resumed, or may do more or for longer. */
  private needsPlan(key: ModelKey, change: Partial<ModelKey>) {
    const { scopes = [], expiresAtMs = key.expiresAtMs } = change
    const isLater = (expiresAtMs ?? Infinity) > (key.expiresAtMs ?? Infinity)
    const gains = scopes.some((scope) => !key.scopes.includes(scope))
    return this.kind === 'resume' || isLater || gains
  }

  toString = () => `${this.kind}(${JSON.stringify(this.target)}, ${JSON.stringify(this.edit)})`
}

export class Revoke extends Base {
  constructor(readonly target: Target) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const { workspaceId } = this.target
    const { id, key } = targetOf(model, this.target)
    const arm = armedOf(real, ['findById', 'revoke'])
    const came = await outcome(real.keys.revokeKey({ workspaceId, id, actor: ACTOR }))
    if (arm.findById !== undefined) return expect(came).toEqual({ refused: 'fault' })
    if (key === undefined) return expect(came).toEqual({ refused: 'key_not_found' })
    if (key.revokedAtMs === null && arm.revoke !== 'refused' && model.revoke(key)) {
      model.log(key, 'api_key.revoked')
    }
    if (arm.revoke !== undefined) return expect(came).toEqual({ refused: 'fault' })
    expect(came).toEqual({ ok: asKey(model, key) })
  }

  toString = () => `revoke(${JSON.stringify(this.target)})`
}

export class List extends Base {
  constructor(
    readonly workspaceId: string,
    readonly filter: { readonly status?: KeyStatus; readonly environment?: Environment },
    readonly limit: number,
  ) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const { workspaceId, limit } = this
    const plan = model.ask(workspaceId)
    const armed = real.faults.get('list')
    const { status, environment } = this.filter
    const wanted = model.of(workspaceId).filter((key) => {
      const isStatus = status === undefined || model.statusOf(key) === status
      return isStatus && (environment === undefined || key.environment === environment)
    })
    const expected = wanted.toReversed().map((key) => asKey(model, key))
    const seen: ApiKey<DefaultScope>[] = []
    let cursor: string | null = null
    do {
      const query = { workspaceId, ...this.filter, limit, cursor }
      const came: Awaited<ReturnType<typeof this.page>> = await this.page(real, query)
      if (armed !== undefined) return expect(came).toEqual({ refused: 'fault' })
      if (!('ok' in came)) return expect.fail(`refused: ${came.refused}`)
      expect(came.ok).toMatchObject({ ...plan, activeKeys: model.active(workspaceId) })
      seen.push(...came.ok.keys)
      cursor = came.ok.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(expected)
  }

  private page(real: Real, query: Parameters<Real['keys']['listKeys']>[0]) {
    return outcome(real.keys.listKeys(query))
  }

  toString = () => `list(${this.workspaceId}, ${JSON.stringify(this.filter)}, ${this.limit})`
}

export class Authenticate extends Base {
  constructor(
    readonly pick: number,
    readonly scope: DefaultScope | null,
    readonly slip: 'none' | 'missing' | 'extra' | 'typo',
  ) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const usable = model.keys.filter(({ secret }) => secret !== null)
    const key = usable[this.pick % Math.max(1, usable.length)]
    if (key === undefined || key.secret === null) return
    const typo = key.secret.slice(0, -1) + (key.secret.endsWith('0') ? '1' : '0')
    const headers = {
      none: `Bearer ${key.secret}`,
      missing: undefined,
      extra: `Bearer ${key.secret} x`,
      typo: `Bearer ${typo}`,
    }
    const asked = this.slip === 'none'
    const armed = asked ? real.faults.get('findByHash') : undefined
    const came = await outcome(real.keys.authenticate(headers[this.slip], this.scope))
    if (armed !== undefined) return expect(came).toEqual({ refused: 'fault' })
    expect(came).toEqual({ ok: this.verdict(model, key) })
  }

  private verdict(model: Reference, key: ModelKey) {
    const reasons = { missing: 'missing', extra: 'invalid_request', typo: 'malformed' } as const
    if (this.slip !== 'none') return { ok: false, reason: reasons[this.slip] }
    const denial = this.denialOf(model, key)
    if (denial !== null) {
      model.countDenial()
      return { ok: false, keyId: key.id, ...denial }
    }
    model.count(key.id)
    const {
      withinGrant: _is,
      uses: _uses,
      lastUsedAt: _lastUsedAt,
      ...authenticated
    } = asKey(model, key)
    return { ok: true, key: authenticated }
  }

  private denialOf(model: Reference, key: ModelKey) {
    const status = model.statusOf(key)
    if (status === 'revoked' || status === 'expired' || status === 'paused') {
      return { reason: status }
    }
    if (!model.remembered(key.workspaceId).publicApi) return { reason: 'plan_required' }
    if (this.scope !== null && !key.scopes.includes(this.scope)) {
      return { reason: 'insufficient_scope', requirement: this.scope }
    }
    return null
  }

  toString = () => `authenticate(${this.pick}, ${this.scope}, ${this.slip})`
}

export class Flush extends Base {
  protected async act(model: Reference, real: Real) {
    const armed = model.hasCounts ? real.faults.get('addUses') : undefined
    const came = await outcome(real.keys.flush())
    if (armed === undefined) {
      model.flush()
      expect(came).toEqual({ ok: undefined })
    } else {
      model.flushFails(armed === 'lost')
      expect(came).toEqual({ refused: 'fault' })
    }
  }

  toString = () => 'flush()'
}

export class ErasePerson extends Base {
  protected async act(model: Reference, real: Real) {
    const { keys } = await real.keys.erasePerson({ personId: ACTOR.id })
    expect(keys).toBe(model.rename(ACTOR.id, ERASED_PERSON))
  }

  toString = () => 'erasePerson()'
}

export class EraseWorkspace extends Base {
  constructor(readonly workspaceId: string) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    const { workspaceId } = this
    const { keys } = await real.keys.eraseWorkspace({ workspaceId })
    expect(keys).toBe(model.erase(workspaceId))
  }

  toString = () => `eraseWorkspace(${this.workspaceId})`
}

export class Purge extends Base {
  protected async act(model: Reference, real: Real) {
    const endedBefore = new Date(model.nowMs - 3_600_000)
    const { keys } = await real.keys.purge({ endedBefore })
    expect(keys).toBe(model.purge(endedBefore.getTime()))
  }

  toString = () => 'purge()'
}

export class ChangePlan extends Base {
  constructor(
    readonly workspaceId: string,
    readonly plan: Entitlements,
    readonly drop: boolean,
  ) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    model.plans.set(this.workspaceId, this.plan)
    if (!this.drop) return
    real.keys.dropEntitlements()
    model.forget()
  }

  toString = () => `plan(${this.workspaceId}, ${JSON.stringify(this.plan)}, drop ${this.drop})`
}

export class MoveClock extends Base {
  constructor(readonly byMs: number) {
    super()
  }

  protected async act(model: Reference) {
    model.nowMs += this.byMs
  }

  toString = () => `clock(${this.byMs})`
}

export class PassTime extends Base {
  constructor(readonly ms: number) {
    super()
  }

  protected async act(model: Reference, real: Real) {
    model.passedMs += this.ms
    real.passTime(this.ms)
  }

  toString = () => `pass(${this.ms})`
}

export class ArmFault extends Base {
  constructor(
    readonly verb: string,
    readonly kind: FaultKind,
  ) {
    super()
  }

  protected async act(_: Reference, real: Real) {
    real.faults.set(this.verb, this.kind)
  }

  toString = () => `fault(${this.verb}, ${this.kind})`
}

function armedOf<V extends string>(real: Real, verbs: readonly V[]) {
  const armed = verbs.map((verb) => [verb, real.faults.get(verb)])
  return Object.fromEntries(armed) as Record<V, FaultKind | undefined>
}

function successor(key: ModelKey, { nowMs }: Reference) {
  const { workspaceId, environment, scopes, metadata, creator } = key
  const name = Array.from(key.name).slice(0, 110).join('') + SUFFIX
  const expiresAtMs = key.expiresAtMs === null ? null : nowMs + key.expiresAtMs - key.createdAtMs
  const copied = { workspaceId, environment, scopes, metadata, creator }
  return { ...copied, name, expiresAtMs, replaces: key.id }
}

/** A change took place although its answer was lost: the reference learns the id from storage. */
async function adoptNewest(
  model: Reference,
  real: Real,
  fields: Omit<NewKey, 'id' | 'secret' | 'creator'> & { readonly creator?: ModelKey['creator'] },
  replaced?: { readonly key: ModelKey; readonly overlapMs: number },
): Promise<void> {
  const [id = expect.fail('nothing was stored')] = await storedIds(real, fields.workspaceId)
  expect(model.find(fields.workspaceId, id), 'a key was stored').toBeUndefined()
  model.add({ creator: ACTOR, ...fields, id, secret: null })
  if (replaced === undefined) {
    model.log({ workspaceId: fields.workspaceId, id }, 'api_key.created')
  } else {
    model.replace(replaced.key, id, replaced.overlapMs)
    model.log(replaced.key, 'api_key.rotated')
  }
}

async function stored(real: Real, workspaceId: string, atMs = 0) {
  const query = { status: null, environment: null, atMs, after: null, limit: 10_000 }
  const page = await real.storage.list(workspaceId, query)
  return page ?? expect.fail('no page')
}

async function storedIds(real: Real, workspaceId: string): Promise<string[]> {
  return (await stored(real, workspaceId)).records.map(({ id }) => id)
}

/** Everything that is stored, of every workspace, is what the reference says. */
async function compare(model: Reference, real: Real): Promise<void> {
  for (const workspaceId of WORKSPACES) {
    const page = await stored(real, workspaceId, model.nowMs)
    const records = page.records.map(({ hash: _, prefix: __, ...record }) => record)
    const expected = model.of(workspaceId).toReversed()
    expect(records).toEqual(expected.map(({ secret: _, ...key }) => key))
    expect(page.activeKeys).toBe(model.active(workspaceId))
    const events = (await real.storage.events(workspaceId, { after: null, limit: 10_000 })) ?? []
    const log = events.map(({ type, keyId }) => ({ workspaceId, type, keyId }))
    expect(log).toEqual(model.events.filter((event) => event.workspaceId === workspaceId))
  }
}

const date = (ms: number | null) => (ms === null ? null : new Date(ms))

/** The key as the library should show it. Whose secret was lost keeps a prefix of its own. */
function asKey(model: Reference, known: ModelKey) {
  const { secret, createdAtMs, updatedAtMs, lastUsedAtMs, revokedAtMs, ...rest } = known
  const { expiresAtMs, pausedAtMs, retiresAtMs, ...key } = rest
  const status = model.statusOf(known)
  const ends = [revokedAtMs, retiresAtMs].filter((end) => end !== null)
  return {
    ...key,
    prefix:
      secret === null ? expect.stringMatching(/^svc_(live|test)_\w{3}$/) : secret.slice(0, 12),
    createdAt: new Date(createdAtMs),
    updatedAt: new Date(updatedAtMs),
    expiresAt: date(expiresAtMs),
    pausedAt: date(pausedAtMs),
    retiresAt: date(retiresAtMs),
    lastUsedAt: date(lastUsedAtMs),
    withinGrant: true,
    revokedAt: status === 'revoked' ? new Date(Math.min(...ends)) : null,
    status,
  }
}
