import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../support/free-port.ts'
import { walk } from '../../support/package/walk.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { firstAnswer } from './guides.ts'

/** Drives the example of Workers in workerd, as `wrangler dev` starts it, on a PostgreSQL of its own. */
export async function driveWorker(home: string): Promise<number> {
  const server = await startPostgres()
  const port = await freePort()
  const url = server.url(await server.createDatabase())
  const words = ['--port', `${port}`, '--inspector-port', '0', '--var', `DATABASE_URL:${url}`]
  const wrangler = 'node_modules/wrangler/bin/wrangler.js'
  const child = spawn(process.execPath, [wrangler, 'dev', ...words], {
    cwd: home,
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await firstAnswer(`http://127.0.0.1:${port}/api/public/v1/contacts`)
    return await walk(port)
  } finally {
    child.kill()
    await once(child, 'close')
    await server.dispose()
  }
}
