import { beforeAll } from 'vitest'
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
