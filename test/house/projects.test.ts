import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECTS, PROPERTIES, type Project } from '../support/projects.ts'
import { filesIn, read } from './sources.ts'

const fits = (globs: readonly string[], file: string) =>
  globs.some((glob) => matchesGlob(file, glob))

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

test('every test with random inputs gets the seed of its project', () => {
  const random = filesIn('test', '.test.ts').filter((file) =>
    /^import fc from 'fast-check'$/m.test(read(file)),
  )
  expect(random.filter((file) => !fits(PROPERTIES, file))).toEqual([])
  expect(random).toContain('test/core/redact/redact.property.test.ts')
})
