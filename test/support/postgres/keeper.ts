import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { SERVER_USER } from './binaries.ts'

/**
 * Runs the server and watches the pipe to the test process. When the pipe closes without the word
 * `keep` while the server runs, the test process is gone, however it went: the server stops and
 * its folder is removed. A server that ends by itself leaves its folder, and so its log.
 */
const KEEPER = `
data=$1; shift
# A shell gives what runs in the background no input, so the pipe moves to another number.
exec 3<&0 0</dev/null
"$@" 3<&- & server=$!
{
  word=
  IFS= read -r word <&3
  if [ "$word" != keep ] && kill -QUIT $server 2>/dev/null; then
    while kill -0 $server 2>/dev/null; do sleep 0.05; done
    rm -rf "$data"
  fi
} &
exec 3<&-
wait $server
`

/** Starts `command` under a keeper that ends it, and removes `data`, when this process dies. */
export function keepServer(command: readonly string[], data: string) {
  const log = openSync(join(data, 'server.log'), 'a')
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', data, ...command], {
    ...SERVER_USER,
    cwd: data,
    stdio: ['pipe', log, log],
    // Ctrl-C reaches the whole group; the keeper must outlive it to clean up.
    detached: true,
  })
  keeper.unref()
  // The pipe may be gone when the keeper is.
  keeper.stdin?.on('error', () => undefined)
  return {
    /** Resolves when the server process is gone. */
    gone: once(keeper, 'exit'),
    isRunning: () => keeper.exitCode === null && keeper.signalCode === null,
    /** Tells the keeper that the folder stays, because this process ends the server itself. */
    release: () => {
      keeper.ref()
      keeper.stdin?.end('keep\n')
    },
  }
}
