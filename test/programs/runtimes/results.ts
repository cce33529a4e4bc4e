/** What came of one group of checks. */
export interface GroupResult {
  readonly name: string
  readonly passed: number
  readonly failures: readonly string[]
}

/** The results in what the suite printed, among whatever a runtime prints beside them. */
export function resultsIn(output: string): readonly GroupResult[] {
  const line = output.split('\n').find((text) => text.includes('results ['))
  if (line === undefined) throw new Error(`no results in:\n${output.slice(0, 2_000)}`)
  const start = line.indexOf('results [') + 'results '.length
  return JSON.parse(line.slice(start, line.lastIndexOf(']') + 1))
}

/** How many checks passed. */
export function passedIn(results: readonly GroupResult[]): number {
  return results.reduce((sum, { passed }) => sum + passed, 0)
}

/** What failed, a text each. */
export function failuresIn(results: readonly GroupResult[]): readonly string[] {
  return results.flatMap(({ name, failures }) => failures.map((text) => `${name}: ${text}`))
}
