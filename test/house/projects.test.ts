import { expect, test } from 'vitest'
import { patternOf } from '../programs/mutation/globs.ts'
import { PROJECTS, type Project } from '../support/projects.ts'
import { filesIn } from './sources.ts'

const fits = (globs: readonly string[], file: string) =>
  globs.some((glob) => patternOf(glob).test(file))

const holds = ({ include, exclude = [] }: Project, file: string) =>
  fits(include, file) && !fits(exclude, file)

test('every test file runs in exactly one project', () => {
  const files = filesIn('test', '.test.ts')
  const strays = files.filter(
    (file) => Object.values(PROJECTS).filter((project) => holds(project, file)).length !== 1,
  )
  expect(strays).toEqual([])
  expect(files.length).toBeGreaterThan(100)
})
