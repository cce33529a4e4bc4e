import type { Names } from '../../names.ts'
import { activeKeyCount } from './active-keys.ts'
import { changeLog } from './change-log.ts'
import { changes } from './changes.ts'
import { collations } from './collations.ts'
import { constraints } from './constraints.ts'
import { dropped } from './dropped.ts'
import { erasure, erasureTables } from './erasure.ts'
import { flows } from './flows.ts'
import { closedToPublic, helpers } from './functions.ts'
import { guards } from './guards.ts'
import { lifecycle } from './lifecycle.ts'
import { noticeTable, storeNotices } from './notices.ts'
import { settled } from './settled.ts'
import { usage } from './usage.ts'
import { moveOldUsage, usageHistory } from './usage-history.ts'

/**
 * Version 2: usage in a table of its own, versions, expiry, pauses, overlaps and metadata, answers
 * that wait for the disk and the standby, constraints against every row that the library cannot read,
 * counts and positions that keep the cost of a call the same as the tables grow, the log of changes,
 * and the history of usage.
 */
export function version2(names: Names): string {
  const tables = [
    ...[dropped, collations, usage, usageHistory, constraints, lifecycle, activeKeyCount, settled],
    ...[erasureTables, noticeTable],
  ]
  const programs = [guards, helpers, changeLog, changes, flows, erasure, storeNotices]
  const history = () => moveOldUsage(names.at)
  return [...tables, ...programs, history, closedToPublic].map((part) => part(names)).join('\n')
}
