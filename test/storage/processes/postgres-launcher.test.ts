import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasOwnServer } from '../../support/postgres/own-server.ts'

const OWNER = fileURLToPath(new URL('postgres-owner.ts', import.meta.url))

// A server of the environment is nobody's to stop.
test.skipIf(!hasOwnServer)(
  'a test server goes with the process that started it, also when that is killed',
  async () => {
    const owner = fork(OWNER, [], { execArgv: ['--import', 'tsx'], stdio: 'ignore' })
    const { port, data } = await told(owner)
    expect([await listens(port), existsSync(data)]).toEqual([true, true])
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    for (let tries = 0; tries < 1_200 && existsSync(data); tries += 1) await pause(50)
    expect([await listens(port), existsSync(data)]).toEqual([false, false])
  },
)

async function told(owner: ChildProcess): Promise<{ port: number; data: string }> {
  const [message]: { port: number; data: string }[] = await once(owner, 'message')
  if (!message) throw new Error('the owner said nothing')
  return message
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
