import { beforeAll, beforeEach } from 'vitest'
import type { RunningHost } from './guard-hosts.ts'

/** The host that runs for a test. */
export type HostOfTest = Pick<RunningHost, 'port'>

/** Runs a host for all tests of a `describe`. */
export function hostForAll(start: () => Promise<RunningHost>): HostOfTest {
  return opened(start, beforeAll)
}

/** Runs a host anew for each test of a `describe`. */
export function hostForEach(start: () => Promise<RunningHost>): HostOfTest {
  return opened(start, beforeEach)
}

function opened(start: () => Promise<RunningHost>, before: typeof beforeAll | typeof beforeEach) {
  let host: RunningHost
  before(async () => {
    host = await start()
    return () => host.close()
  })
  return {
    get port() {
      return host.port
    },
  }
}
