import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { installLocked } from '../../support/package/installed.ts'
import { npm, ROOT } from '../../support/package/npm.ts'

/*
 * npm run site
 * Builds the documentation site into docs/.vitepress/dist. VitePress has a lock file of its own and is
 * installed here, so that neither `npm ci` nor the package knows of it.
 */

const SITE = join(ROOT, 'docs/.vitepress')
installLocked(SITE)
npm(ROOT, 'run', '--silent', 'build:js')
npm(ROOT, 'run', '--silent', 'docs')
execFileSync(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', '..'], {
  cwd: SITE,
  stdio: 'inherit',
})
