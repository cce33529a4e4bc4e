import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool } from '../../../adapters/storage/postgres.ts'

/** Waits until a condition, written in SQL, holds on the server. */
export async function until(pool: PostgresPool, condition: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`SELECT (${condition}) AS holds`)
    if (Reflect.get(Object(rows[0]), 'holds') === true) return
    await sleep(20)
  }
}
