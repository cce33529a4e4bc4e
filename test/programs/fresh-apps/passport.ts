import { deepStrictEqual } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../support/package/npm.ts'

const ACCEPTED = [200, ['ws_1', true]]
const REFUSED = [401, null]
const OUTAGE = [503, null]

/** Runs the strategy of the guide beside the package that it replaces; returns how many answers were checked. */
export async function drivePassport(home: string): Promise<number> {
  const guide = readFileSync(join(ROOT, 'docs/passport.md'), 'utf8')
  const code = /^```js\n([\s\S]*?)^```/m.exec(guide)?.[1] ?? ''
  writeFileSync(join(home, 'guide.js'), `${code}\nexport { keys, passport }\n`)
  const found = execFileSync(process.execPath, ['check.js'], { cwd: home, encoding: 'utf8' })
  deepStrictEqual(JSON.parse(found), {
    accepted: [ACCEPTED, ACCEPTED],
    missing: [REFUSED, REFUSED],
    unknown: [REFUSED, REFUSED],
    revoked: [REFUSED, REFUSED],
    closed: [OUTAGE, OUTAGE],
  })
  return 10
}
