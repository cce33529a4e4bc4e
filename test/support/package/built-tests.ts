import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ROOT } from './npm.ts'

const CONFIG = 'test/programs/built/vitest.config.ts'
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--config', CONFIG]

/** Runs tests on the built files of both formats: those whose paths contain a text, or all. */
export async function runOnBuiltFiles(...texts: readonly string[]): Promise<string> {
  const options = { cwd: ROOT, maxBuffer: 2 ** 26 }
  const { stdout } = await promisify(execFile)(process.execPath, [...VITEST, ...texts], options)
  return stdout
}
