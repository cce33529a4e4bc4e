import { startServer } from '../../support/package/child.ts'
import { Visitor } from '../../support/package/visitor.ts'
import { createdInTab } from './created-in-tab.ts'
import { misconfigured } from './misconfigured.ts'

const PUBLIC = '/api/public/v1/contacts'

/**
 * Drives a built page in Chromium: a key is created in the tab, and the public API takes its secret.
 * Before that the server is started with a storage that cannot work. Answers how many things were
 * checked.
 */
export async function driveVite(home: string): Promise<number> {
  const reported = await misconfigured(home, ['app.js'])
  const server = await startServer([process.execPath, 'app.js'], home)
  try {
    const host = new Visitor(server.port)
    await host.expects(401, await host.visit(PUBLIC, null))
    const secret = await createdInTab(`http://127.0.0.1:${server.port}/`, 'ar')
    await host.expects(200, await host.visit(PUBLIC, secret))
    return reported + host.checks
  } finally {
    await server.stop()
  }
}
