import { setTimeout as wait } from 'node:timers/promises'

/** The time limit of the host's storage and plan, and what a busy machine adds. */
const LIMIT_MS = 500
const PATIENCE_MS = 30_000

/** What hangs in one request after the other, and what the guard has to answer. */
const STEPS = [
  ['nothing', 200],
  ['storage', 503],
  ['nothing', 200],
  ['plan', 503],
  ['plan', 503],
  ['nothing', 200],
] as const

/**
 * Outages in one request after the other: the time limit holds in each, also where a timer ends with
 * the request that set it, and nothing is left of a request that was given up. Answers how many
 * things were checked; throws at the first that is not so.
 */
export async function hang(port: number): Promise<number> {
  const visit = (word: string, secret = '', ms = PATIENCE_MS) =>
    fetch(`http://127.0.0.1:${port}/hanging/${word}`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(ms),
    })
  const { secret } = (await (await visit('key')).json()) as { secret: string }
  const expectStatus = async (word: string, status: number) => {
    const response = await visit(word, secret)
    const text = `${response.status} ${await response.text()}`
    if (response.status !== status) throw new Error(`${word} hangs: ${text}, wanted ${status}`)
  }
  for (const [word, status] of STEPS) await expectStatus(word, status)
  await visit('plan', secret, LIMIT_MS / 5).catch(() => undefined)
  await wait(LIMIT_MS * 2)
  await expectStatus('nothing', 200)
  return STEPS.length + 1
}
