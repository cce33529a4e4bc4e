import { expect } from 'vitest'
import { parseChallenge } from './challenge.ts'
import { headerOf, type RawResponse } from './raw-client.ts'

/** The status of each outcome on the wire. */
export const STATUS = {
  missing: 401,
  invalid_request: 400,
  invalid_token: 401,
  accepted: 200,
} as const

/** Checks all that a refusal of a guard must carry: problem body, challenge, no caching. */
export function expectRefusal(response: RawResponse, code: string, params: object = {}): void {
  expect(headerOf(response, 'content-type')).toEqual(['application/problem+json'])
  expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
  const body = JSON.parse(response.body)
  expect(body).toMatchObject({ status: response.status, code })
  expect(body.type).toMatch(/^urn:miftah:problem:/)
  const [challenge = '', ...more] = headerOf(response, 'www-authenticate')
  expect(more).toEqual([])
  const error = code === 'missing' ? {} : { error: code }
  expect(parseChallenge(challenge)).toEqual({
    scheme: 'Bearer',
    params: { realm: 'api', ...error, ...params },
  })
}
