import type { Deadline } from '../deadline.ts'
import { Preparation, withinMigrationTime } from '../preparation.ts'
import { Progress } from '../progress.ts'
import { type MysqlPool, onConnection } from './driver.ts'
import { ERRORS } from './errors.ts'
import { checkSchema, migrateSchema } from './migrations.ts'
import { type Server, serverOf } from './server.ts'

/** Makes sure, once, that the server fits and has the schema that this release works with. */
export interface Readiness {
  readonly ensure: (deadline: Deadline) => Server | Promise<Server>
  /** Brings the schema to this release's version, whatever the option `migrate` says. */
  readonly migrate: () => Promise<void>
}

/** `migrates` says whether the first use may change the schema. */
export function readinessOf(pool: MysqlPool, migrates: boolean): Readiness {
  const prepare = (deadline: Deadline, bringUp: typeof checkSchema) =>
    onConnection(pool, deadline, async (connection) => {
      const server = await serverOf(connection)
      await bringUp(connection)
      return server
    })
  const preparation = new Preparation(ERRORS.server, (deadline) =>
    migrates
      ? withinMigrationTime((own) => prepare(own, migrateSchema))
      : prepare(deadline, checkSchema),
  )
  return {
    ensure: (deadline) => preparation.ready ?? preparation.ensure(deadline),
    migrate: async () => {
      preparation.ready = await withinMigrationTime((deadline) =>
        new Progress(ERRORS, deadline, true).run(() => prepare(deadline, migrateSchema)),
      )
    },
  }
}
