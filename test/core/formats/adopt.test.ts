import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type AdoptedKey,
  type Adopt as AdoptOf,
  type DefaultScope,
  plans,
} from '../../../src/index.ts'
import { adoptedKey, FORMAT, importInput } from '../../support/lifecycle/import.ts'
import { action, fault, openWorld, START_MS, settled, until } from '../../support/world.ts'

type Adopt = AdoptOf<DefaultScope>

const KNOWN = adoptedKey()

const open = (adopt: Adopt) => openWorld({ formats: [FORMAT], adopt, storageTimeoutMs: 60_000 })
const ask = ({ keys }: ReturnType<typeof open>, secret: string) =>
  keys.authenticateSecret(secret, null)

/** Questions that stay open until they are answered. */
function openQuestions() {
  const answers: ((key: AdoptedKey<DefaultScope> | null) => void)[] = []
  const adopt: Adopt = () => new Promise((resolve) => answers.push(resolve))
  return { answers, adopt }
}

afterEach(() => vi.useRealTimers())

describe('adopt', () => {
  test('is called once for a key, however many requests come at once', async () => {
    const { answers, adopt } = openQuestions()
    const world = open(adopt)
    const results = Promise.all(Array.from({ length: 10 }, () => ask(world, 'old_a')))
    await settled(5)
    expect(answers).toHaveLength(1)
    answers[0]?.(KNOWN)
    expect(await results).toMatchObject(Array(10).fill({ ok: true }))
  })

  test('answers 4 at once; 100 wait, and the next is an outage', async () => {
    const { answers, adopt } = openQuestions()
    const world = open(adopt)
    const asked = Array.from({ length: 104 }, (_, at) => ask(world, `old_${at}`))
    await settled(5)
    expect(answers).toHaveLength(4)
    const outage = await fault(ask(world, 'old_one_more'))
    expect(outage).toMatchObject({
      operation: 'adoptQueue',
      cause: new Error('100 requests are waiting'),
    })
    for (let at = 0; at < 104; at += 1) {
      await vi.waitUntil(() => answers[at] !== undefined)
      answers[at]?.(null)
    }
    expect(await Promise.all(asked)).toMatchObject(Array(104).fill({ reason: 'unknown' }))
    expect(await ask(world, 'old_0')).toMatchObject({ reason: 'unknown' })
    expect(answers).toHaveLength(104)
  })

  test('a full queue is counted, and reported once in 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { answers, adopt } = openQuestions()
    const world = open(adopt)
    const asked = Array.from({ length: 104 }, (_, at) => ask(world, `old_${at}`))
    await settled(5)
    const flood = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        expect((await fault(ask(world, `old_flood_${at}`))).operation).toBe('adoptQueue')
      }
    }
    await flood(200)
    vi.advanceTimersByTime(9_999)
    await flood(1)
    vi.advanceTimersByTime(1)
    await flood(3)
    expect(world.events).toMatchObject([
      { type: 'outage', operation: 'adoptQueue', count: 1 },
      { type: 'outage', operation: 'adoptQueue', count: 201 },
    ])
    for (let at = 0; at < 104; at += 1) {
      await vi.waitUntil(() => answers[at] !== undefined)
      answers[at]?.(null)
    }
    await Promise.all(asked)
  })

  test('a late answer keeps its slot, and a call that times out leaves the queue', async () => {
    const { answers, adopt } = openQuestions()
    const world = openWorld({ formats: [FORMAT], adopt, storageTimeoutMs: 200 })
    for (let round = 0; round < 3; round += 1) {
      const asked = Array.from({ length: 40 }, (_, at) => fault(ask(world, `old_${round}_${at}`)))
      const outages = await Promise.all(asked)
      const begun = round === 0 ? 4 : 0
      const [noAnswer, noTurn] = [new Error('no answer in 200 ms'), new Error('no turn in 200 ms')]
      expect(outages).toMatchObject([
        ...Array(begun).fill({ operation: 'adopt', cause: noAnswer }),
        ...Array(40 - begun).fill({ operation: 'adoptQueue', cause: noTurn }),
      ])
    }
    expect(answers).toHaveLength(4)
    const operations = world.events.map((event) => 'operation' in event && event.operation)
    expect(operations).toEqual([...Array(4).fill('adopt'), 'adoptQueue'])
    const again = ask(world, 'old_again')
    answers[0]?.(null)
    await until(() => answers[4] !== undefined)
    answers[4]?.(null)
    expect(await again).toMatchObject({ reason: 'unknown' })
    for (const answer of answers) answer(null)
    const four = Array.from({ length: 4 }, (_, at) => ask(world, `old_last_${at}`))
    await settled(1)
    expect(answers).toHaveLength(9)
    for (const answer of answers) answer(null)
    expect(await Promise.all(four)).toMatchObject(Array(4).fill({ reason: 'unknown' }))
  })

  test('a no is remembered for 60 seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    let questions = 0
    const world = open(() => {
      questions += 1
      return null
    })
    for (const [ms, expected] of [
      [0, 1],
      [59_999, 1],
      [1, 2],
      [1, 2],
    ] as const) {
      vi.advanceTimersByTime(ms)
      expect(await ask(world, 'old_a')).toMatchObject({ reason: 'unknown' })
      expect(questions).toBe(expected)
    }
  })

  test('an answer about another text of a stored key is remembered for 60 seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    let questions = 0
    const world = open(() => {
      questions += 1
      return KNOWN
    })
    expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
    for (const [ms, expected] of [
      [0, 2],
      [59_999, 2],
      [1, 3],
    ] as const) {
      vi.advanceTimersByTime(ms)
      expect(await ask(world, 'old_A')).toMatchObject({ ok: true })
      expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
      expect(questions).toBe(expected)
    }
    expect(world.events).toMatchObject([{ type: 'api_key.imported' }])
  })

  test('200 texts of a revoked key make no further key', async () => {
    const world = open(() => KNOWN)
    const auth = await ask(world, 'old_a')
    await world.keys.revokeKey(action(auth.ok ? auth.key.id : ''))
    for (let at = 0; at < 200; at += 1) {
      expect(await ask(world, `old_a${at}`)).toMatchObject({ reason: 'revoked' })
    }
    expect((await world.keys.listKeys({ workspaceId: 'ws_1' })).keys).toHaveLength(1)
  })

  test('the verdict on a stored key does not depend on what adopt says of it now', async () => {
    let description = KNOWN
    const world = open(() => description)
    expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
    description = { ...KNOWN, expiresAt: new Date(START_MS) }
    expect(await ask(world, 'old_A')).toMatchObject({ ok: true })
    world.plan = { ...plans.business, maxLifetimeSeconds: 60 }
    description = { ...KNOWN, expiresAt: null }
    expect(await ask(world, 'old_AA')).toMatchObject({ ok: true })
  })

  test('a key whose import another process was quicker with is not announced', async () => {
    for (const events of [[], null]) {
      const world = open(() => KNOWN)
      world.misbehaviour.events = async () => events
      expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
      expect(world.events).toEqual([])
    }
  })

  test('10,000 strange keys are remembered at most', async () => {
    let questions = 0
    const world = open(() => {
      questions += 1
      return null
    })
    for (let at = 0; at < 10_000; at += 1) await ask(world, `old_${at}`)
    await ask(world, 'old_0')
    expect(questions).toBe(10_000)
    await ask(world, 'old_10000')
    expect(questions).toBe(10_001)
    await ask(world, 'old_10000')
    expect(questions).toBe(10_001)
    await ask(world, 'old_0')
    expect(questions).toBe(10_002)
  })

  test('is not called for a text in no format, nor for a stored key', async () => {
    const world = open(() => {
      throw new Error('asked')
    })
    expect(await ask(world, 'nonsense')).toMatchObject({ reason: 'malformed' })
    await world.keys.importKeys([importInput({ digest: FORMAT.digest('old_a') })], {
      actor: KNOWN.creator,
    })
    expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
  })

  test.each<[string, Adopt, unknown]>([
    ['that throws', () => failing(), new Error('a bug')],
    ['that rejects', async () => failing(), new Error('a bug')],
    [
      'that answers nonsense',
      () => 7 as never,
      new TypeError('The key from adopt is invalid: must be an object.'),
    ],
    [
      'that names no external id',
      () => ({ ...KNOWN, externalId: undefined as never }),
      new TypeError('The key from adopt is invalid: externalId is required.'),
    ],
    [
      'that answers an invalid key',
      () => ({ ...KNOWN, name: '', scopes: [] }),
      new TypeError(
        'The key from adopt is invalid: name is required; scopes must name at least one.',
      ),
    ],
  ])('%s is an outage, and is asked again', async (_title, adopt, cause) => {
    let questions = 0
    const world = open((...args) => {
      questions += 1
      return adopt(...args)
    })
    for (const expected of [1, 2]) {
      expect(await fault(ask(world, 'old_a'))).toMatchObject({ operation: 'adopt', cause })
      expect(questions).toBe(expected)
    }
    expect(world.events).toMatchObject(Array(2).fill({ operation: 'adopt' }))
  })

  test('a key of an erased workspace is unknown, and adopt is called once', async () => {
    let questions = 0
    const world = open(() => {
      questions += 1
      return KNOWN
    })
    await world.keys.eraseWorkspace({ workspaceId: KNOWN.workspaceId })
    for (let round = 0; round < 2; round += 1) {
      expect(await ask(world, 'old_a')).toEqual({ ok: false, reason: 'unknown' })
    }
    expect(questions).toBe(1)
    expect(world.events.filter(({ type }) => type === 'outage')).toEqual([])
  })

  test('a key that has expired is unknown, and one that is about to works until then', async () => {
    let questions = 0
    const world = open((secret) => {
      questions += 1
      return { ...KNOWN, expiresAt: new Date(START_MS + (secret === 'old_dead' ? 0 : 1_000)) }
    })
    for (let round = 0; round < 2; round += 1) {
      expect(await ask(world, 'old_dead')).toEqual({ ok: false, reason: 'unknown' })
    }
    expect(questions).toBe(1)
    expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
    world.nowMs += 1_000
    expect(await ask(world, 'old_a')).toMatchObject({ reason: 'expired' })
  })

  test('a storage that fails to store the key is an outage of the storage', async () => {
    const world = open(() => KNOWN)
    world.misbehaviour.insert = failing
    expect(await fault(ask(world, 'old_a'))).toMatchObject({ operation: 'insert' })
    delete world.misbehaviour.insert
    expect(await ask(world, 'old_a')).toMatchObject({ ok: true })
  })

  test('a failure frees a slot', async () => {
    let questions = 0
    const world = open(async () => {
      questions += 1
      await settled(1)
      return failing()
    })
    const asked = Array.from({ length: 12 }, (_, at) => ask(world, `old_${at}`))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(questions).toBe(12)
  })
})

function failing(): never {
  throw new Error('a bug')
}
