import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { NO_SQLITE, saidOnce } from './misconfigured.ts'

/**
 * Runs the tests of the project on a storage that cannot work. Both must fail, and the output must
 * say what is wrong. Returns how many things were checked.
 */
export async function driveJest(home: string): Promise<number> {
  const command = join(home, 'node_modules/.bin/jest')
  const env = { ...process.env, MISCONFIGURED: '1' }
  const { status, stdout, stderr } = spawnSync(command, { cwd: home, env, encoding: 'utf8' })
  const output = stdout + stderr
  if (status !== 1 || !/^Tests: +2 failed, 2 total$/m.test(output)) {
    throw new Error(`jest ended with ${status}:\n${output}`)
  }
  const said = output.split('\n').filter((line) => line.includes('miftah: '))
  return 1 + saidOnce(said.join('\n'), NO_SQLITE)
}
