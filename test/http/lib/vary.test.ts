import { expect, test } from 'vitest'
import { addVary, type HeaderValue } from '../../../adapters/http/lib/vary.ts'

test.each<[before: HeaderValue, after: string]>([
  [undefined, 'Authorization'],
  [null, 'Authorization'],
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
  expect(addVary(before, 'Authorization')).toBe(after)
})
