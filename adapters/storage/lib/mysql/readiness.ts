import { attempts } from '../attempts.ts'
import type { Deadline } from '../deadline.ts'
import { Readiness } from '../readiness.ts'
import { type MysqlPool, onConnection, type Run } from './driver.ts'
import { MYSQL_FAULTS } from './errors.ts'
import { isInstalled, migrateSchema } from './migrations.ts'
import { type Server, serverOf } from './server.ts'
import { Session } from './session.ts'

export function readinessOf(pool: MysqlPool, migrates: boolean): Readiness<Server> {
  const onServer = <T>(deadline: Deadline, work: (run: Run, server: Server) => Promise<T>) =>
    attempts(MYSQL_FAULTS, 'read', deadline, () =>
      onConnection(pool, deadline, async (run) => {
        const server = await serverOf(run)
        await new Session(run, server).check()
        return work(run, server)
      }),
    )
  return new Readiness<Server>(
    {
      check: (deadline, mayMigrate) =>
        onServer(deadline, async (run, server) =>
          (await isInstalled(run, server, mayMigrate)) ? server : null,
        ),
      migrate: (deadline) =>
        onServer(deadline, async (run, server) => {
          await migrateSchema(run, server)
          return server
        }),
    },
    migrates,
  )
}
