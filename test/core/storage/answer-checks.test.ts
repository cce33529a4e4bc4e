import { describe, expect, test } from 'vitest'
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

const TOTAL = { hour: 5, outcome: 'accepted', count: 0 }
cases(
  'usage',
  answers.usageAnswer,
  {
    sound: [null, [], [TOTAL, { ...TOTAL, outcome: 'rate_limited' }]],
    unsound: [
      [TOTAL, { ...TOTAL, hour: 1.5 }],
      [{ ...TOTAL, outcome: 'other' }, TOTAL],
      [{ ...TOTAL, count: -1 }],
      [{ ...TOTAL, count: '1' }],
    ],
  },
  'invalid counts of usage',
)

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
      ...['isSameLog', 'head', 'outcome'].map((field) => ({ ...RENEWAL, [field]: -1 })),
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
const NODE = { node: 'a', leaseMs: 5_000, renewal: 0 }
const lag = (...nodes: unknown[]) => ({ head: 0, nodes })
cases(
  'nodes',
  answers.lagAnswer,
  {
    sound: [lag(), lag(NODE), lag(NODE, { ...NODE, node: 'b' })],
    unsound: [
      { ...lag(), head: -1 },
      { head: 0, nodes: 'x' },
      { head: 0, nodes: { every: () => true } },
      lag(NODE, { ...NODE, node: '' }),
      lag({ ...NODE, leaseMs: -1 }, NODE),
      lag({ ...NODE, renewal: 1.5 }),
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

const DONE = { keys: 1, events: 0, more: false }
cases(
  'a step',
  answers.progressAnswer,
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
