import { afterAll, beforeAll, expect, test } from 'vitest'
import { comparedCases, runCase } from '../programs/compare/cases.ts'
import { openMiftah } from '../programs/compare/miftah.ts'
import type { Subject } from '../programs/compare/subject.ts'

let miftah: Subject

beforeAll(async () => {
  miftah = await openMiftah()
})
afterAll(() => miftah.close())

test.each(comparedCases)('$given: $wanted', async (compared) => {
  expect(await runCase(miftah, compared)).toEqual({ holds: true })
})
