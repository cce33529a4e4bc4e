#!/usr/bin/env node
/* `npx miftah`: keys from the command line. */
import { runCommandLine } from './run.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  input: process.stdin,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
})
