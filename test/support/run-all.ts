import { spawn } from 'node:child_process'
import { once } from 'node:events'

/*
 * `npm test`: the build, which has one processor to itself most of the time, beside the core with its
 * coverage; then everything else.
 */

/**
 * Runs a script of package.json and returns whether it succeeded. A quiet one prints only if it
 * fails.
 */
async function succeeds(script: string, { isQuiet = false } = {}): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', script], {
    // npm is a script of the shell's on Windows.
    shell: process.platform === 'win32',
    stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      printed += chunk
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) process.stderr.write(printed)
  return code === 0
}

const first = await Promise.all([succeeds('build', { isQuiet: true }), succeeds('coverage')])
if (first.includes(false) || !(await succeeds('test:rest'))) process.exitCode = 1
