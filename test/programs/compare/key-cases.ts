import { type ComparedCase, holds, tally } from './case.ts'
import type { Subject } from './subject.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Secrets that are not quite right. */
export const keyCases: readonly ComparedCase[] = [
  {
    id: 'H12, H14',
    given: 'lists, a String object, a number, an object, null instead of a text',
    wanted: 'refused',
    async run(subject) {
      const { secret } = await subject.issue()
      return allRefused(subject, [
        [secret],
        [secret, secret],
        new String(secret),
        42,
        { toString: () => secret },
        null,
        undefined,
      ])
    },
  },
  {
    id: 'H15',
    given: 'every character of a key changed to every other',
    wanted: 'refused',
    async run(subject) {
      return allRefused(subject, neighboursOf((await subject.issue()).secret))
    },
  },
  {
    id: 'H15',
    given: 'every character of a key changed to every other',
    wanted: 'refused without asking the store',
    async run(subject) {
      const { secret } = await subject.issue()
      subject.probe.lookups = 0
      for (const wrong of neighboursOf(secret).slice(0, 500)) await subject.check(wrong)
      return holds(subject.probe.lookups === 0, `${subject.probe.lookups} look-ups for 500 keys`)
    },
  },
  {
    id: 'H16, H17',
    given: 'neighbours swapped, other case, a character more or less, quotes',
    wanted: 'refused',
    async run(subject) {
      const { secret } = await subject.issue()
      const swapped = [...secret].map(
        (char, at) => secret.slice(0, at) + (secret[at + 1] ?? '') + char + secret.slice(at + 2),
      )
      const others = [
        ...swapped,
        secret.toUpperCase(),
        secret.toLowerCase(),
        `${secret}x`,
        ` ${secret}`,
        `${secret} `,
        secret.slice(1),
        secret.slice(0, -1),
        `"${secret}"`,
      ]
      return allRefused(
        subject,
        others.filter((text) => text.trim() !== secret),
      )
    },
  },
  {
    id: 'H19',
    given: 'invisible, full-width and look-alike characters',
    wanted: 'refused',
    async run(subject) {
      const { secret } = await subject.issue()
      const strangers = ['\u202e', '\u200b', '\ufeff', '\u00a0', '１', 'а', '\0', '\ud800']
      return allRefused(
        subject,
        strangers.flatMap((char) => [secret + char, char + secret, secret.slice(0, -1) + char]),
      )
    },
  },
  {
    id: 'H21',
    given: 'every length from 0 to 4,096',
    wanted: 'refused',
    run: (subject) =>
      allRefused(
        subject,
        Array.from({ length: 4_097 }, (_, length) => 'a'.repeat(length)),
      ),
  },
  {
    id: 'H22',
    given: 'a megabyte, passed in the process',
    wanted: 'refused in less than 50 µs',
    async run(subject) {
      const text = 'a'.repeat(1_000_000)
      const times: number[] = []
      for (let count = 0; count < 50; count += 1) {
        const startMs = performance.now()
        await subject.check(text)
        times.push(performance.now() - startMs)
      }
      const best = Math.min(...times) * 1_000
      return holds(best < 50, `${Math.round(best).toLocaleString('en')} µs at best`)
    },
  },
  {
    id: 'H26',
    given: 'a well-formed key that nobody issued',
    wanted: 'refused after one look-up at most',
    async run(subject) {
      const { secret } = await subject.issue()
      subject.probe.lookups = 0
      const verdict = await subject.check(
        secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      )
      return holds(verdict === 'refused' && subject.probe.lookups <= 1, verdict)
    },
  },
  {
    id: 'H31',
    given: 'a right that only resembles the one held',
    wanted: 'refused',
    async run(subject) {
      const verdicts = await subject.checkResembling((await subject.issue()).secret)
      return holds(
        verdicts.every((verdict) => verdict === 'refused'),
        tally(verdicts),
      )
    },
  },
]

async function allRefused(subject: Subject, secrets: readonly unknown[]) {
  const verdicts: string[] = []
  for (const secret of secrets) verdicts.push(await subject.check(secret))
  return holds(
    verdicts.every((verdict) => verdict === 'refused'),
    tally(verdicts),
  )
}

function neighboursOf(secret: string): string[] {
  return [...secret].flatMap((char, at) =>
    [...BASE62]
      .filter((other) => other !== char)
      .map((other) => secret.slice(0, at) + other + secret.slice(at + 1)),
  )
}
