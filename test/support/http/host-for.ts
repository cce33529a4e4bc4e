import { beforeAll, onTestFinished } from 'vitest'
import type { RunningHost } from './guard-hosts.ts'

/** Runs a host for all tests of a `describe`. */
export function hostForAll(start: () => Promise<RunningHost>): Pick<RunningHost, 'port'> {
  let host: RunningHost
  beforeAll(async () => {
    host = await start()
    return () => host.close()
  })
  return {
    get port() {
      return host.port
    },
  }
}

/** Runs a host until the end of the test, and answers its port. */
export async function served(starting: RunningHost | Promise<RunningHost>): Promise<number> {
  const host = await starting
  onTestFinished(() => host.close())
  return host.port
}
