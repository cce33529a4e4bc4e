/** Plays rounds, as many at the same time as there are lanes, and adds up what they answer. */
export async function playRounds<F extends string>(
  { rounds, lanes = 1 }: { readonly rounds: number; readonly lanes?: number },
  play: (round: number) => Promise<Readonly<Record<F, number>>>,
): Promise<Readonly<Record<F, number>>> {
  const reports: Readonly<Record<F, number>>[] = []
  let begun = 0
  const lane = async () => {
    while (begun < rounds) {
      begun += 1
      reports.push(await play(begun))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return sumOf(reports)
}

/** The sum of each figure. */
export function sumOf<F extends string>(
  reports: readonly Readonly<Record<F, number>>[],
): Readonly<Record<F, number>> {
  const sums: Partial<Record<F, number>> = {}
  for (const report of reports) {
    for (const name in report) sums[name] = (sums[name] ?? 0) + report[name]
  }
  return sums as Record<F, number>
}
