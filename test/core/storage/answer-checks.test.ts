import { describe, expect, test } from 'vitest'
import { unused } from '../../../adapters/storage/testing/contract-case.ts'
import {
  sampleRecord,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/samples.ts'
import * as answers from '../../../src/storage/answers.ts'

/* Each check lets a sound answer through as it is, and names what is wrong with any other. */

type Check = (answer: never) => unknown

function cases(
  name: string,
  check: Check,
  { sound, unsound }: Readonly<Record<'sound' | 'unsound', readonly unknown[]>>,
  message: string,
) {
  describe(name, () => {
    test.each(sound.map((answer) => ({ answer })))('may be $answer', ({ answer }) => {
      expect(check(answer as never)).toBe(answer)
    })

    test.each(unsound.map((answer) => ({ answer })))('may not be $answer', ({ answer }) => {
      const error = new TypeError(`The storage answered with ${message}.`)
      expect(() => check(answer as never)).toThrow(error)
    })
  })
}

const COUNT = { at: 5, outcome: 'accepted', count: 0 }
const usage = (...counts: unknown[]) => [
  { hours: counts, days: [] },
  { hours: [], days: counts },
]
cases(
  'usage',
  answers.usageAnswer,
  {
    sound: [null, ...usage(), ...usage(COUNT, { ...COUNT, outcome: 'rate_limited' })],
    unsound: [
      { hours: 'x', days: [] },
      { hours: [], days: { every: () => true } },
      ...usage(COUNT, { ...COUNT, at: 1.5 }),
      ...usage({ ...COUNT, outcome: 'other' }, COUNT),
      ...usage({ ...COUNT, count: -1 }),
      ...usage({ ...COUNT, count: '1' }),
    ],
  },
  'invalid counts of usage',
)

const due = (dueAtMs: unknown = 5) => ({ record: sampleRecord(), dueAtMs })
cases(
  'notices',
  (answer: never) => answers.noticesAnswer(answer, { atMs: 9, limit: 2 }),
  {
    sound: [[], [due()], [due(), due()]],
    unsound: ['x', { length: 0 }, [due(), due(), due()], [due(1.5)], [due(), due(null)]],
  },
  'invalid notices',
)

test('notices hold sound records', () => {
  const broken = [{ record: { ...sampleRecord(), name: '' }, dueAtMs: 5 }]
  const check = () => answers.noticesAnswer(broken, { atMs: 9, limit: 2 })
  expect(check).toThrow(new TypeError('Stored key has an invalid name.'))
})

const RENEWAL = {
  outcome: 'renewed',
  isSameLog: true,
  head: 0,
  changes: null,
}
const KEY = { sequence: 1, kind: 'key', hash: 'a' }
const PLAN = { sequence: 2, kind: 'plan', workspaceId: 'ws_1' }
const renewed = (...changes: unknown[]) => ({ ...RENEWAL, changes })
cases(
  'a renewal',
  answers.renewalAnswer,
  {
    sound: [
      { outcome: 'evicted' },
      RENEWAL,
      renewed(),
      renewed(KEY, PLAN, { ...PLAN, workspaceId: null }, { sequence: 0, kind: 'everything' }),
    ],
    unsound: [
      ...['isSameLog', 'head'].map((field) => ({ ...RENEWAL, [field]: -1 })),
      { ...RENEWAL, changes: 'x' },
      { ...RENEWAL, changes: { every: () => true } },
      renewed(KEY, { ...KEY, sequence: -1 }),
      renewed(KEY, { ...KEY, hash: '' }),
      renewed({ ...PLAN, workspaceId: '' }),
      renewed({ ...PLAN, kind: 'other' }, KEY),
    ],
  },
  'an invalid renewal',
)
cases(
  'the outcome of a renewal',
  answers.renewalAnswer,
  { sound: [], unsound: [{ ...RENEWAL, outcome: 'done' }, {}] },
  'an invalid outcome',
)

const NODE = { node: 'a', leaseMs: 5_000, renewal: 0 }
cases(
  'nodes',
  answers.nodesAnswer,
  {
    sound: [[], [NODE], [NODE, { ...NODE, node: 'b' }]],
    unsound: [
      'x',
      { every: () => true },
      [NODE, { ...NODE, node: '' }],
      [{ ...NODE, leaseMs: -1 }, NODE],
      [{ ...NODE, renewal: 1.5 }],
    ],
  },
  'invalid nodes',
)

cases(
  'a count of nodes',
  answers.nodeCountAnswer,
  {
    sound: [{ nodes: 0, lag: 0 }],
    unsound: [{}, { nodes: -1, lag: 0 }, { nodes: 1, lag: 0.5 }],
  },
  'an invalid count of nodes',
)

cases(
  'a sequence',
  answers.countAnswer,
  { sound: [0, 5], unsound: [-1, 0.5, '5', undefined] },
  'an invalid sequence',
)

const DONE = { keys: 1, events: 0, more: false }
cases(
  'an erasure',
  answers.erasureAnswer,
  {
    sound: [DONE, { keys: 0, events: 0, more: false }, { ...DONE, more: true }],
    unsound: [
      { ...DONE, keys: -1 },
      { ...DONE, events: 0.5 },
      { ...DONE, more: 'no' },
      { keys: 0, events: 0, more: true },
    ],
  },
  'an invalid outcome',
)

describe('an insert', () => {
  const of = (answer: unknown, limit: number | null = 5) =>
    answers.insertAnswer(answer as never, limit)

  test('is done, refused for its workspace, or for its limit', () => {
    expect(of({ inserted: true })).toBeNull()
    expect(of({ inserted: false, isErased: true })).toBe('erased')
    expect(of({ inserted: false, activeKeys: 5 })).toBe(5)
  })

  test.each([
    [{ inserted: 'no', activeKeys: 5 }],
    [{ inserted: false, isErased: 1 }],
    [{ inserted: false, activeKeys: 0.5 }],
  ])('may not be %j', (answer) => {
    expect(() => of(answer)).toThrow(new TypeError('The storage answered with an invalid outcome.'))
  })

  test('is never refused without a limit', () => {
    expect(() => of({ inserted: false, activeKeys: 5 }, null)).toThrow(TypeError)
  })
})

describe('a change', () => {
  const record = unused(sampleRecord())

  test('that found another version answers the key, whatever its version is', () => {
    const answer = { outcome: 'stale', record } as const
    expect(answers.updateAnswer(answer, sampleUpdateChange(record))).toBe(answer)
  })

  test('that rotates ends the old key, at once or after an overlap', () => {
    const change = sampleRotateChange(record)
    const { id: replacedBy } = change.replacement
    const rotated = (end: object) =>
      answers.rotateAnswer(
        {
          outcome: 'rotated',
          replaced: { ...record, replacedBy, ...end },
          replacement: unused({ ...change.replacement }),
        },
        change,
      )
    expect(rotated({ revokedAtMs: 5 })).toMatchObject({ outcome: 'rotated' })
    expect(rotated({ retiresAtMs: 5 })).toMatchObject({ outcome: 'rotated' })
    const message = 'The storage answered with a key that was not replaced.'
    expect(() => rotated({})).toThrow(new TypeError(message))
    expect(() => rotated({ revokedAtMs: 5, replacedBy: 'key_x' })).toThrow(new TypeError(message))
  })
})
