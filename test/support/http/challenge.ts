/** One challenge of a `WWW-Authenticate` value. */
export interface Challenge {
  readonly scheme: string
  readonly params: Readonly<Record<string, string>>
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const QUOTED = /"((?:[\t \x21\x23-\x5B\x5D-\x7E]|\\[\t \x21-\x7E])*)"/y

/**
 * Reads a value that must be exactly one challenge in the grammar of RFC 9110 §11.6.1 with RFC 6750
 * §3: a scheme, one SP, and at least one auth-param, none twice, each a quoted-string. Throws where
 * the value leaves the grammar.
 */
export function parseChallenge(value: string): Challenge {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray => {
    pattern.lastIndex = at
    const match = pattern.exec(value)
    if (match === null) throw new Error(`not a challenge at ${at}: ${value}`)
    at = pattern.lastIndex
    return match
  }
  const [scheme] = take(TOKEN)
  take(/ /y)
  const params: Record<string, string> = {}
  do {
    const name = take(TOKEN)[0].toLowerCase()
    take(/=/y)
    if (Object.hasOwn(params, name)) throw new Error(`${name} twice: ${value}`)
    params[name] = take(QUOTED)[1] ?? ''
  } while (at < value.length && take(/, /y))
  return { scheme, params }
}
