import { exchange } from '../../support/http/raw-client.ts'
import { type ComparedCase, holds, tally } from './case.ts'
import { at } from './clock.ts'
import { postText } from './post.ts'
import { MOST_DAYS, type Subject } from './subject.ts'

const DAY_MS = 86_400_000
const ROUNDS = 200
const RENAMES = 20
const MEGABYTES = 2_000_000

/** Ends, policies and changes of keys. */
export const lifecycleCases: readonly ComparedCase[] = [
  {
    id: '',
    given: 'a key a millisecond after its end',
    wanted: 'refused',
    async run(subject) {
      const startMs = Date.now()
      const { secret } = await issuedFor(subject, 2, startMs)
      const verdict = await at(startMs + 2 * DAY_MS + 1, () => subject.check(secret))
      return holds(verdict === 'refused', verdict)
    },
  },
  {
    id: '',
    given: 'an expired key after a request with it',
    wanted: 'still there to see',
    async run(subject) {
      const startMs = Date.now()
      const { id, secret } = await issuedFor(subject, 2, startMs)
      const seen = await at(startMs + 3 * DAY_MS, async () => {
        await subject.check(secret)
        return subject.lifecycle.seen(id)
      })
      return holds(seen !== null, 'deleted')
    },
  },
  {
    id: '',
    given: 'the end of an expired key moved later',
    wanted: 'the key stays dead',
    async run(subject) {
      const startMs = Date.now()
      const { id, secret } = await issuedFor(subject, 2, startMs)
      const verdict = await at(startMs + 3 * DAY_MS, async () => {
        await subject.lifecycle.extend(id, 2)
        return subject.check(secret)
      })
      return holds(verdict === 'refused', verdict)
    },
  },
  {
    id: '',
    given: 'a key without an end, where a key may live for 30 days',
    wanted: 'refused, or ended after 30 days',
    async run(subject) {
      const startMs = Date.now()
      const issued = await at(startMs, () => subject.lifecycle.issueEnding(null))
      if (issued === null) return holds(true)
      const verdict = await at(startMs + (MOST_DAYS + 1) * DAY_MS, () =>
        subject.check(issued.secret),
      )
      return holds(verdict === 'refused', `${verdict} after 31 days`)
    },
  },
  {
    id: '',
    given: 'the end moved on the 29th day, where a key may live for 30 days',
    wanted: 'refused on the 31st day',
    async run(subject) {
      const startMs = Date.now()
      const { id, secret } = await issuedFor(subject, MOST_DAYS, startMs)
      await at(startMs + 29 * DAY_MS, () => subject.lifecycle.extend(id, MOST_DAYS))
      const verdict = await at(startMs + 31 * DAY_MS, () => subject.check(secret))
      return holds(verdict === 'refused', verdict)
    },
  },
  {
    id: '',
    given: 'two people who edit the same state of a key',
    wanted: 'the second gets an error',
    async run(subject) {
      const { id } = await subject.issue()
      const first = await subject.lifecycle.openEditor(id)
      const second = await subject.lifecycle.openEditor(id)
      const saved = [await first({ name: 'First' }), await second({ name: 'Second' })]
      return holds(saved[0] === true && saved[1] === false, 'the first change is overwritten')
    },
  },
  {
    id: '',
    given: `traffic at the moment at which a key loses a right, ${ROUNDS} rounds`,
    wanted: 'refused afterwards, in every round',
    async run(subject) {
      const verdicts: string[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        verdicts.push(await narrowed(subject, round % 8))
      }
      return holds(
        verdicts.every((verdict) => verdict === 'refused'),
        tally(verdicts),
      )
    },
  },
  {
    id: '',
    given: `1,000 calls while the key is renamed ${RENAMES} times`,
    wanted: 'each counted once, the last name kept',
    async run(subject) {
      const { id, secret } = await subject.issue()
      const calls: Promise<unknown>[] = []
      for (let round = 0; round < RENAMES; round += 1) {
        for (let count = 0; count < 1_000 / RENAMES; count += 1) calls.push(subject.check(secret))
        const save = await subject.lifecycle.openEditor(id)
        await save({ name: `Name ${round}` })
      }
      await Promise.all(calls)
      const uses = await subject.uses(id)
      const name = (await subject.lifecycle.seen(id))?.includes(`Name ${RENAMES - 1}`)
      return holds(
        uses === 1_000 && name === true,
        `${uses} counted, ${name ? 'renamed' : 'the name is lost'}`,
      )
    },
  },
  {
    id: '',
    given: 'two megabytes of metadata from a signed-in page',
    wanted: '4xx',
    async run({ http }) {
      const body = http.createBody({ metadata: { team: 'x'.repeat(MEGABYTES) } })
      const { status } = await exchange(http.port, postText(http.createPath, http.session, body))
      return holds(status >= 400 && status < 500, `${status}`)
    },
  },
]

async function issuedFor({ lifecycle }: Subject, days: number, startMs: number) {
  const issued = await at(startMs, () => lifecycle.issueEnding(days))
  if (issued === null) throw new Error('the key was refused')
  return issued
}

/** Traffic, a few moments into it a change that takes the right away, and a verdict after it. */
async function narrowed(subject: Subject, moments: number): Promise<string> {
  const { id, secret } = await subject.issue()
  const traffic = Array.from({ length: 5 }, () => subject.check(secret))
  for (let count = 0; count < moments; count += 1) await new Promise(setImmediate)
  const save = await subject.lifecycle.openEditor(id)
  if (!(await save({ losesRight: true }))) return 'not changed'
  await Promise.all(traffic)
  return subject.check(secret)
}
