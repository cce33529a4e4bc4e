import type { Names } from '../../names.ts'
import { changes } from './changes.ts'
import { closedToPublic } from './closed-to-public.ts'
import { flows } from './flows.ts'
import { guards } from './guards.ts'
import { helpers } from './helpers.ts'
import { records } from './records.ts'
import { tables } from './tables.ts'

/**
 * Version 1, as the first release creates it. A released version never changes: databases out there
 * have it, and every later version starts from it. A test pins the digest of this text.
 */
export function version1(names: Names): string {
  return [tables, guards, records, helpers, changes, flows, closedToPublic]
    .map((part) => part(names))
    .join('\n')
}
