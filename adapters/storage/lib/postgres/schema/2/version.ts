import type { Names } from '../../names.ts'
import { changes } from './changes.ts'
import { constraints } from './constraints.ts'
import { dropped } from './dropped.ts'
import { flows } from './flows.ts'
import { closedToPublic, helpers } from './functions.ts'
import { guards } from './guards.ts'
import { usage } from './usage.ts'

/**
 * Version 2: usage in a table of its own, functions that name no column of a key, answers that wait
 * for the disk and the standby, and constraints against every row that the library cannot read.
 */
export function version2(names: Names): string {
  return [dropped, usage, constraints, guards, helpers, changes, flows, closedToPublic]
    .map((part) => part(names))
    .join('\n')
}
