const said = new Set<string>()

/**
 * Decides whether tests run that need a server, browser or tool. Where it is missing they are skipped,
 * and one line says what brings it; with `REQUIRE_SERVERS`, as in CI, they fail.
 *
 * @example
 * ```ts
 * const hasGo = isAvailable('Go', spawnSync('go', ['version']).status === 0, 'apt-get install golang')
 * describe.skipIf(!hasGo)('the client in Go', () => {})
 * ```
 */
export function isAvailable(what: string, isThere: boolean, remedy: string): boolean {
  if (isThere) return true
  const message = `${what} is missing: ${remedy}`
  if (process.env['REQUIRE_SERVERS']) throw new Error(message)
  if (!said.has(message)) process.stderr.write(`Tests are skipped. ${message}\n`)
  said.add(message)
  return false
}
