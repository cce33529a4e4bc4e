import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

const PROGRAM = `
import { DatabaseSync } from '@photostructure/sqlite'
const database = new DatabaseSync(process.argv[1])
database.exec('BEGIN IMMEDIATE')
process.stdout.write('locked')
process.stdin.once('data', () => {
  database.exec('COMMIT')
  process.stdout.write('free')
})
process.stdin.once('end', () => database.close())
`

/** Another process that holds the write lock of the file until it is stopped. */
export async function holdLock(path: string): Promise<{ readonly release: () => Promise<void> }> {
  const args = ['--input-type=module', '--eval', PROGRAM, path]
  const holder = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(holder, 'exit')
  onTestFinished(async () => {
    holder.stdin.end()
    await gone
  })
  await once(holder.stdout, 'data')
  return {
    async release() {
      const freed = once(holder.stdout, 'data')
      holder.stdin.write('release')
      await freed
    },
  }
}
