import { startPostgres } from '../../support/postgres-server.ts'

// A process that starts a server and does nothing about its end.
const { port, data } = await startPostgres()
process.send?.({ port, data })
setInterval(() => undefined, 1_000)
