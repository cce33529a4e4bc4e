import { freePort } from '../../support/free-port.ts'
import { walk } from '../../support/package/walk.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { drivenAt } from './guides.ts'

/** Drives the example of Workers in workerd, as `wrangler dev` starts it, on a PostgreSQL of its own. */
export async function driveWorker(home: string): Promise<number> {
  const server = await startPostgres()
  const port = await freePort()
  const database = server.url(await server.createDatabase())
  const wrangler = [process.execPath, 'node_modules/wrangler/bin/wrangler.js', 'dev'] as const
  const words = ['--port', `${port}`, '--inspector-port', '0', '--var', `DATABASE_URL:${database}`]
  const env = { CI: '1', WRANGLER_SEND_METRICS: 'false' }
  const url = `http://127.0.0.1:${port}/api/public/v1/contacts`
  return drivenAt(url, { home, command: [...wrangler, ...words], env }, () => walk(port)).finally(
    () => server.dispose(),
  )
}
