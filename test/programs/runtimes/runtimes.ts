import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from '../../support/package/child.ts'

/** Where the packed package and the runtimes are installed. */
export const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))

/** One runtime, and how it runs the suite and serves the host. */
export interface Runtime {
  readonly name: string
  /** Run directly, so that stopping a process stops the runtime and not a wrapper. */
  readonly binary: string
  /** The words that make it run the suite. */
  readonly suite: readonly string[]
  /** The words that make it serve the host; none where that has been shown already. */
  readonly server: Command | null
  /** Which pipe of the server tells its port. */
  readonly portOn: 1 | 3
  /** What is not run on it, and why. */
  readonly lacks: string
}

const { arch, platform } = process
const isArm = arch === 'arm64'
const inShelf = (path: string) => join(SHELF, 'node_modules', path)

const BUN = inShelf(`@oven/bun-${platform}-${isArm ? 'aarch64' : arch}/bin/bun`)
const DENO = inShelf(`@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}/deno`)
const WORKERD = inShelf(`@cloudflare/workerd-${platform}-${isArm ? arch : '64'}/bin/workerd`)

function likeNode(name: string, binary: string, words: readonly string[] = []): Runtime {
  return {
    name,
    binary,
    suite: [...words, 'suite/main.js'],
    server: [binary, ...words, 'suite/serve.js'],
    portOn: 1,
    lacks: '—',
  }
}

export const RUNTIMES: readonly Runtime[] = [
  ...[20, 22, 24, 26].map((major) =>
    likeNode(`Node ${major}`, inShelf(`node-${major}-${platform}-${arch}/bin/node`)),
  ),
  {
    ...likeNode('Node, portable hash', process.execPath),
    suite: ['suite/portable.js', '--without-files'],
    server: null,
    lacks: 'SQLite and the server, as those are the same with either hash',
  },
  likeNode('Bun', BUN),
  // It may do what a host may, and fetches no code.
  likeNode('Deno', DENO, ['run', '--no-remote', '--node-modules-dir=manual', '--allow-all']),
  {
    name: 'workerd',
    binary: WORKERD,
    suite: ['test', 'suite/workerd.capnp'],
    server: [WORKERD, 'serve', '--control-fd=3', 'suite/workerd-with-node.capnp'],
    portOn: 3,
    lacks:
      'SQLite, for want of a driver and of files; `miftah/client`, because its requests refuse ' +
      'redirects, which workerd cannot',
  },
]
