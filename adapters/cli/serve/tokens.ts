import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IntrospectionAccess } from '../../http/lib/endpoints/introspection.ts'
import { headerLines, type NodeRequest } from '../../http/lib/node/header-lines.ts'
import { UsageError } from '../errors.ts'

const LINE = /^([\w.~-]{32,256})[ \t]+(\S{1,255})$/

/**
 * Reads the tokens of resource servers: on each line a token of at least 32 characters and the workspace whose
 * keys it may introspect, or `*` for all. Throws a {@link UsageError} that names the line, never its text.
 */
export async function readTokens(file: unknown) {
  if (typeof file !== 'string') throw new UsageError('Option "tokenFile" must be a path.')
  const content = await readFile(file, 'utf8').catch(({ code }) => {
    throw new UsageError(`${file} of the option "tokenFile" cannot be read: ${code}.`)
  })
  const tokens = new Map<string, IntrospectionAccess>()
  for (const [at, line] of content.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, token, workspaceId] = LINE.exec(line.trim()) ?? []
    if (token === undefined || workspaceId === undefined) {
      throw new UsageError(
        `Line ${at + 1} of the option "tokenFile" must be a token of 32 to 256 letters, digits, -, _, . or ~, and a workspace or *.`,
      )
    }
    tokens.set(hashOf(token), workspaceId === '*' ? 'any' : { workspaceId })
  }
  if (tokens.size === 0) throw new UsageError('The file of the option "tokenFile" has no token.')
  return (request: NodeRequest): IntrospectionAccess | null => {
    const [line = '', ...more] = headerLines(request)('authorization')
    // Found by its hash, so that the time says nothing about how much of a token is right.
    return more.length > 0 ? null : (tokens.get(hashOf(tokenIn(line))) ?? null)
  }
}

/** A Bearer token, or the password of Basic authentication (RFC 6749 §2.3.1), whose user is not read. */
function tokenIn(line: string): string {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)$/i.exec(line) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  const [, ...password] = Buffer.from(value, 'base64').toString().split(':')
  try {
    return decodeURIComponent(password.join(':'))
  } catch {
    return ''
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
