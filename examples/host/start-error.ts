/** Why the host does not start, as a sentence that says what to do. */
export function whyNot(error: unknown): string {
  const { code, port, address, message, cause } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
  }
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken. Choose another one: PORT=${(port ?? 3000) + 1} npm start`
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Port ${port} may not be opened by this user. Choose one above 1023: PORT=3000 npm start`
  }
  if (code === 'EADDRNOTAVAIL') return `HOST is ${address}, which is no address of this machine.`
  const below = cause instanceof Error ? ` (${cause.message || String(cause)})` : ''
  return `The host cannot start: ${message ?? String(error)}${below}`
}
