import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { patternOf } from './globs.ts'

/** Runs the tests of a round in the order of its globs: what is quick and kills much comes first. */
export function asListed(globs: readonly string[], root: string) {
  const patterns = globs.map(patternOf)
  const placeOf = ({ moduleId }: TestSpecification) =>
    patterns.findIndex((pattern) => pattern.test(relative(root, moduleId)))
  return class AsListed extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return files.toSorted((a, b) => placeOf(a) - placeOf(b))
    }
  }
}
