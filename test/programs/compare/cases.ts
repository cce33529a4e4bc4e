import { type ComparedCase, calm, type Finding } from './case.ts'
import { grantCases } from './grant-cases.ts'
import { httpCases } from './http-cases.ts'
import { keyCases } from './key-cases.ts'
import { lifecycleCases } from './lifecycle-cases.ts'
import { storeCases } from './store-cases.ts'
import type { Subject } from './subject.ts'

/** Every case that can be asked of a library whatever its design. */
export const comparedCases: readonly ComparedCase[] = [
  ...keyCases,
  ...storeCases,
  ...lifecycleCases,
  ...grantCases,
  ...httpCases,
]

/** Runs one case on a store that is put back to normal before and after. */
export async function runCase(subject: Subject, { run }: ComparedCase): Promise<Finding> {
  calm(subject)
  try {
    return await run(subject)
  } finally {
    calm(subject)
  }
}
