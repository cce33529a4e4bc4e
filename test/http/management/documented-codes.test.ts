import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type ProblemCode, problemCodes } from '../../../src/model/problem-codes.ts'

const guide = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')

/** The codes that the guide has a row for, each with the number in its last column. */
const rows = new Map(
  [...guide.matchAll(/^\| `(\w+)` \|.*\| (\d{3}) \|$/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]),
)

test.each(Object.keys(problemCodes) as ProblemCode[])(
  'docs/errors.md has %s and its status',
  (code) => {
    expect(rows.get(code)).toBe(problemCodes[code].status)
  },
)
