import { table } from '../output.ts'
import type { Revocation } from './revocation.ts'

/** The upper ends of the histogram, in milliseconds. */
const BOUNDS = [1, 10, 100, 1_000, 10_000, 60_000, Infinity] as const

/** What all revocations showed together. */
export type MeterReport = ReturnType<typeof reportOf>

/** Adds up what the revocations showed. */
export function reportOf(all: readonly Revocation[]) {
  const late = all.flatMap(({ lateMs }) => (lateMs === null ? [] : [lateMs]))
  const took = all.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const sum = (name: 'accepted' | 'refused' | 'unanswered') =>
    all.reduce((total, one) => total + one[name], 0)
  const keysIn = (from: number, to: number) => late.filter((ms) => ms >= from && ms < to).length
  return {
    revocations: all.length,
    tookMs: { median: took[Math.floor(took.length / 2)] ?? 0, worst: took.at(-1) ?? 0 },
    late: late.length,
    lastAcceptedMs: late.length === 0 ? null : Math.max(...late),
    open: all.filter(({ isOpen }) => isOpen).length,
    calls: { accepted: sum('accepted'), refused: sum('refused'), unanswered: sum('unanswered') },
    histogram: [
      { lastAccepted: 'never', keys: all.length - late.length },
      ...BOUNDS.map((to, at) => ({
        lastAccepted: to === Infinity ? 'later' : `within ${time(to)}`,
        keys: keysIn(BOUNDS[at - 1] ?? 0, to),
      })),
    ],
  }
}

/** The report for people. */
export function inWords({ revocations, tookMs, late, calls, histogram, ...report }: MeterReport) {
  const verdict =
    report.lastAcceptedMs === null
      ? 'No call sent after the acknowledgement was accepted.'
      : `Keys accepted afterwards: ${late}, the last one ${time(report.lastAcceptedMs)} after its acknowledgement.`
  const rows = histogram.map(({ lastAccepted, keys }) => [
    ...[lastAccepted, String(keys)],
    '#'.repeat(Math.ceil((40 * keys) / revocations)),
  ])
  return [
    `${revocations} revocations, acknowledged after ${time(tookMs.median)} (median), ${time(tookMs.worst)} (worst).`,
    verdict,
    `Calls sent afterwards: ${calls.accepted} accepted, ${calls.refused} refused, ${calls.unanswered} without a verdict.`,
    ...(report.open > 0 ? [`Keys that were not seen to stop working: ${report.open}.`] : []),
    `\n${table(['last accepted', 'keys', ''], rows)}`,
  ].join('\n')
}

function time(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms * 10) / 10} ms` : `${Math.round(ms / 10) / 100} s`
}
