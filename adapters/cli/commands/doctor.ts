import { faultInWords } from '../../lib/faults/words.ts'
import type { Call, Command } from '../command.ts'
import { type Finding, findingsOf } from './findings.ts'

/** How long the database has to answer. */
const TIMEOUT_MS = 10_000

/** `miftah doctor`: what is wrong with the database, and what to do about it. */
export const doctor: Command = {
  summary: 'check the database: schema, rights, events that wait',
  example: 'doctor -d postgres://app@db.internal/app',
  async run({ database, show }) {
    const findings = await diagnosed(database.storage)
    const isWell = findings.every(({ state }) => state !== 'wrong')
    await show({ ok: isWell, findings }, findings.map(lineOf).join('\n'))
    return isWell ? 0 : 1
  },
}

async function diagnosed({ diagnose }: Call['database']['storage']): Promise<readonly Finding[]> {
  const limit = { timeoutMs: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) }
  return diagnose(limit).then(findingsOf, (error: unknown) => [
    {
      check: 'reachable',
      state: 'wrong',
      text: faultInWords({ operation: 'diagnose', error }).sentence,
    },
  ])
}

const MARKS: Readonly<Record<Finding['state'], string>> = {
  well: 'ok   ',
  unknown: '?    ',
  wrong: 'WRONG',
}

function lineOf({ check, state, text }: Finding): string {
  return `${MARKS[state]}  ${check.padEnd(10)}  ${text}`
}
