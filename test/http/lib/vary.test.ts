import { expect, test } from 'vitest'
import { addToVary } from '../../../adapters/http/lib/headers.ts'

test.each<[before: string | readonly string[] | undefined, after: string]>([
  [undefined, 'Authorization'],
  ['', 'Authorization'],
  [' , ', 'Authorization'],
  ['Origin', 'Origin, Authorization'],
  ['Origin ,Accept', 'Origin, Accept, Authorization'],
  ['Origin,, Accept,', 'Origin, Accept, Authorization'],
  [['Origin', 'Accept'], 'Origin, Accept, Authorization'],
  [['Origin, Accept', 'Cookie'], 'Origin, Accept, Cookie, Authorization'],
  ['Origin, AUTHORIZATION', 'Origin, AUTHORIZATION'],
  ['Origin, authorization , Accept', 'Origin, authorization, Accept'],
  ['Proxy-Authorization', 'Proxy-Authorization, Authorization'],
  ['*', '*'],
  ['Origin, *', 'Origin, *'],
])('Vary %j becomes %j', (before, after) => {
  expect(addToVary(before, 'Authorization')).toBe(after)
})

test.each([
  [undefined, 'Authorization, X-API-Key'],
  ['x-api-key', 'x-api-key, Authorization'],
  ['authorization, X-API-KEY', 'authorization, X-API-KEY'],
])('Vary %j with two headers becomes %j', (before, after) => {
  expect(addToVary(before, 'Authorization, X-API-Key')).toBe(after)
})
