/** As `createApiKeys` takes it in the answer of a limiter: a String of RFC 9651 §3.3.3 without backslashes. */
const NAME = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,64}$/

/** Throws a `TypeError` for a name that no response header can have. */
export function checkName(caller: string, name: unknown): void {
  if (typeof name === 'string' && NAME.test(name)) return
  throw new TypeError(
    `${caller}: option "name" must be 1 to 64 visible ASCII characters without " and \\.`,
  )
}
