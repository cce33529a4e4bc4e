import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { walk } from '../../support/package/walk.ts'
import { startPostgres } from '../../support/postgres-server.ts'

/** Drives the example of Workers in workerd, as `wrangler dev` starts it, on a PostgreSQL of its own. */
export async function driveWorker(home: string): Promise<number> {
  const server = await startPostgres()
  const port = await freePort()
  const url = server.url(await server.createDatabase())
  const words = [
    'dev',
    '--port',
    `${port}`,
    '--inspector-port',
    '0',
    '--var',
    `DATABASE_URL:${url}`,
  ]
  const child = spawn(process.execPath, ['node_modules/wrangler/bin/wrangler.js', ...words], {
    cwd: home,
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await answers(port)
    return await walk(port)
  } finally {
    child.kill()
    await once(child, 'close')
    await server.dispose()
  }
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/api/public/v1/contacts`).catch(
      () => null,
    )
    await response?.text()
    if (response?.status === 401) return
    await wait(500)
  }
  throw new Error('the worker did not answer in two minutes')
}
