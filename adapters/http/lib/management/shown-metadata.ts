import { ApiKeyError } from '../../../../src/index.ts'

/**
 * Throws `invalid_input` for a body with entries of the metadata that the host has not named. A
 * body without such a field, and one that is no object, are left to the core.
 */
export function assertShownMetadata(body: unknown, shown: readonly string[]): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'metadata')) return
  const { metadata } = body as { readonly metadata: unknown }
  if (shown.length === 0) throw unknownField(['metadata'])
  const hidden = Object.keys(Object(metadata)).find((name) => !shown.includes(name))
  if (hidden !== undefined) throw unknownField(['metadata', hidden])
}

function unknownField(path: readonly string[]): ApiKeyError {
  const message = 'is not a known field.'
  return new ApiKeyError('invalid_input', { issues: [{ path, code: 'unknown_field', message }] })
}
