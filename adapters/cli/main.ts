#!/usr/bin/env node
/* `npx miftah`: keys from the command line. */
import { OutputError } from './output.ts'
import { runCommandLine } from './run.ts'

// Without a listener, a reader that has gone ends the process with a stack trace.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    process.exitCode ||= 1
  })
}

function printed(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error: NodeJS.ErrnoException | null | undefined) => {
      if (!error) resolve()
      else reject(new OutputError(`Standard output cannot be written (${error.code}).`))
    })
  })
}

const code = await runCommandLine(process.argv.slice(2), {
  input: process.stdin,
  out: printed,
  err: (text) => process.stderr.write(`${text}\n`),
})
// What is printed to a pipe may still be under way.
await new Promise((resolve) => process.stderr.write('', resolve))
// A config module of the application may hold the process open. Not over what a listener has set.
process.exit(process.exitCode || code)
