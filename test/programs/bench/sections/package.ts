import {
  coreGzipBytes,
  installedDependencies,
  startTimes,
} from '../../../support/package-budget.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'

/** What the package weighs and how long it takes to start. */
export async function section({ short }: Bench): Promise<SectionResult> {
  const bytes = await coreGzipBytes()
  const starts = Array.from({ length: short ? 7 : 41 }, startTimes)
  const over = spread(starts.map(({ withCore, empty }) => withCore - empty))
  const empty = spread(starts.map((start) => start.empty))
  const dependencies = installedDependencies()
  return {
    tables: [
      {
        title: 'What importing the core costs',
        head: ['', ''],
        rows: [
          ['gzip of the core and all that it imports, minified', `${figure(bytes)} bytes`],
          ['packages installed with it', `${dependencies.length}: ${dependencies.join(', ')}`],
          ['start of an empty program', `${spreadText(empty)} ms`],
          ['importing the core, over that', `${spreadText(over)} ms`],
        ],
      },
    ],
    targets: [
      target('core with its dependencies, gzip, kB', 'at most', {
        limit: 16,
        value: bytes / 1_000,
        shown: (bytes / 1_000).toFixed(1),
      }),
      target('importing the core over an empty program, ms', 'at most', {
        limit: 40,
        value: over.median,
        shown: over.median.toFixed(0),
      }),
    ],
  }
}
