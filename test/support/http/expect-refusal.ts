import { expect } from 'vitest'
import { headerOf, type RawResponse } from './raw-client.ts'

/** The status of each outcome on the wire. */
export const STATUS = {
  missing: 401,
  invalid_request: 400,
  invalid_token: 401,
  accepted: 200,
} as const

/** Checks all that a refusal of a guard must carry: problem body, challenge, no caching. */
export function expectRefusal(response: RawResponse, code: string): void {
  expect(headerOf(response, 'content-type')).toEqual(['application/problem+json'])
  expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
  const body = JSON.parse(response.body)
  expect(body).toMatchObject({ status: response.status, code })
  expect(body.type).toMatch(/^urn:miftah:problem:/)
  const error = code === 'missing' ? {} : { error: code }
  const named = Object.entries({ realm: 'api', ...error })
  const challenge = named.map(([name, value]) => `${name}="${value}"`).join(', ')
  expect(headerOf(response, 'www-authenticate')).toEqual([`Bearer ${challenge}`])
}
