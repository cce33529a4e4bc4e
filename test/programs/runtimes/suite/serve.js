import { host } from './host.js'

/** Serves the host with the runtime's own server on a free port, and prints its number. */
const hostname = '127.0.0.1'
const tell = (port) => process.stdout.write(`${port}\n`)

if ('Bun' in globalThis) {
  tell(globalThis.Bun.serve({ hostname, port: 0, fetch: host }).port)
} else if ('Deno' in globalThis) {
  globalThis.Deno.serve({ hostname, port: 0, onListen: ({ port }) => tell(port) }, host)
} else {
  const { serveNode } = await import('./serve-node.js')
  serveNode(host).listen(0, hostname, function () {
    tell(this.address().port)
  })
}
// The process that started it stops it; if it does not, this one stops by itself.
setTimeout(() => process.exit(1), 60_000)
