import { type ComparedCase, holds, tally, within } from './case.ts'
import type { Issued, Subject } from './subject.ts'

const ROUNDS = 200

/** A store that fails or answers nonsense, and changes that meet traffic. */
export const storeCases: readonly ComparedCase[] = [
  {
    id: 'H27, H36',
    given: 'a look-up under way while the key is revoked, and a call after it',
    wanted: 'the later call is refused',
    async run(subject) {
      const { id, secret } = await subject.issue()
      let open = () => {}
      const gate = new Promise<void>((resolve) => {
        open = resolve
      })
      subject.probe.beforeLookup = () => gate
      const early = subject.check(secret)
      subject.probe.beforeLookup = async () => {}
      await subject.revoke(id)
      open()
      await early
      const verdict = await subject.check(secret)
      return holds(verdict === 'refused', verdict)
    },
  },
  {
    id: 'H36',
    given: `traffic at the moment of a revocation, ${ROUNDS} rounds`,
    wanted: 'the key is dead afterwards, in every round',
    async run(subject) {
      const alive: string[] = []
      for (let round = 0; round < ROUNDS; round += 1) alive.push(await raced(subject, round % 8))
      const back = alive.filter((verdict) => verdict !== 'refused').length
      return holds(back === 0, `alive again in ${back} of ${ROUNDS} rounds`)
    },
  },
  {
    id: 'H33',
    given: 'a store that throws or rejects',
    wanted: 'a fault that can be told from a refusal',
    async run(subject) {
      const { secret } = await subject.issue()
      subject.probe.beforeLookup = () => Promise.reject(new Error('connection refused'))
      const verdict = await subject.check(secret)
      return holds(verdict === 'fault', `${verdict}, as an invalid key is`)
    },
  },
  {
    id: 'H33',
    given: 'a store that never answers',
    wanted: 'a fault by a deadline',
    async run(subject) {
      const { secret } = await subject.issue()
      subject.probe.beforeLookup = () => new Promise(() => {})
      const verdict = await within(5_000, subject.check(secret))
      return holds(verdict === 'fault', verdict ?? 'no answer after 5 s')
    },
  },
  {
    id: 'H33',
    given: 'a store that answers with the row of another key',
    wanted: 'not accepted',
    async run(subject) {
      const [first, second] = [await subject.issue(), await subject.issue()]
      const row = await rowOf(subject, second)
      subject.probe.answer = () => row
      const verdict = await subject.check(first.secret)
      return holds(verdict !== 'accepted', verdict)
    },
  },
  {
    id: 'H34',
    given: 'a row that has a text where the end of the key should be an instant',
    wanted: 'not accepted',
    async run(subject) {
      const { secret } = await subject.issue()
      subject.probe.answer = (row) => row && subject.broken(row)
      const verdict = await subject.check(secret)
      return holds(verdict !== 'accepted', verdict)
    },
  },
  {
    id: 'H35, M22',
    given: '1,000 calls at once with one key',
    wanted: 'one verdict, each counted once',
    async run(subject) {
      const { id, secret } = await subject.issue()
      const calls = Array.from({ length: 1_000 }, () => subject.check(secret))
      const verdicts = tally(await Promise.all(calls))
      const uses = await subject.uses(id)
      return holds(verdicts === '1000 accepted' && uses === 1_000, `${verdicts}; ${uses} counted`)
    },
  },
  {
    id: 'M12',
    given: 'a second revocation',
    wanted: 'succeeds and changes nothing',
    async run(subject) {
      const { id, secret } = await subject.issue()
      await subject.revoke(id)
      await subject.revoke(id)
      const verdict = await subject.check(secret)
      return holds(verdict === 'refused', verdict)
    },
  },
  {
    id: 'M17, M20',
    given: 'what lists show',
    wanted: 'neither secret nor hash',
    async run(subject) {
      const { id, secret } = await subject.issue()
      const text = await subject.shown(id)
      const hash = await subject.hashOf(id)
      return holds(text.includes(id) && !text.includes(secret) && !text.includes(hash), 'shown')
    },
  },
  {
    id: 'M18',
    given: 'names with a bidi override, a NUL, a line break, half of a pair',
    wanted: 'refused or cleaned',
    async run(subject) {
      const strangers = ['\u202e', '\0', '\n', '\ud800', '\u2028']
      const stored = await Promise.all(strangers.map((char) => subject.createNamed(`a${char}b`)))
      const kept = strangers.filter((char, at) => stored[at]?.includes(char))
      return holds(kept.length === 0, `${kept.length} of ${strangers.length} stored as they are`)
    },
  },
  {
    id: 'E15',
    given: 'what an accepted request is given',
    wanted: 'neither secret nor hash',
    async run(subject) {
      const { id, secret } = await subject.issue()
      const text = JSON.stringify(await subject.principal(secret))
      return holds(!text.includes(secret) && !text.includes(await subject.hashOf(id)), 'given')
    },
  },
  {
    id: 'E15',
    given: 'what an accepted request is given',
    wanted: 'frozen',
    async run(subject) {
      const { secret } = await subject.issue()
      return holds(Object.isFrozen(await subject.principal(secret)), 'can be changed')
    },
  },
]

/** Traffic, and a revocation a few moments into it; then whether the key still opens anything. */
async function raced(subject: Subject, moments: number): Promise<string> {
  const { id, secret } = await subject.issue()
  const traffic = Array.from({ length: 5 }, () => subject.check(secret))
  for (let count = 0; count < moments; count += 1) await new Promise(setImmediate)
  await subject.revoke(id)
  await Promise.all(traffic)
  return subject.check(secret)
}

async function rowOf(subject: Subject, { secret }: Issued) {
  let found: unknown = null
  subject.probe.answer = (row) => {
    found = row
    return row
  }
  await subject.check(secret)
  return found
}
