import { expect, test } from 'vitest'
import { filesIn } from '../../house/sources.ts'
import { patternOf } from './globs.ts'
import { LEFT_OUT, PARTS } from './parts.ts'

const mutated = Object.values(PARTS).flatMap(({ rounds }) => rounds.flatMap(({ mutate }) => mutate))
const sources = ['src', 'adapters'].flatMap((room) => filesIn(room, '.ts'))
const fitting = (globs: readonly string[], file: string) =>
  globs.filter((glob) => patternOf(glob).test(file))

test('every source is mutated once, or left out for a reason', () => {
  const times = (file: string) =>
    fitting(mutated, file).length + fitting(Object.keys(LEFT_OUT), file).length
  expect(sources.filter((file) => times(file) === 0)).toEqual([])
  expect(sources.filter((file) => fitting(mutated, file).length > 1)).toEqual([])
})

test('no part and no exception speaks of a file that is not there', () => {
  const globs = [...mutated, ...Object.keys(LEFT_OUT)]
  expect(globs.filter((glob) => !sources.some((file) => patternOf(glob).test(file)))).toEqual([])
  const tests = filesIn('test', '.test.ts')
  const asked = Object.values(PARTS).flatMap(({ rounds }) => rounds.flatMap((round) => round.tests))
  expect(asked.filter((glob) => !tests.some((file) => patternOf(glob).test(file)))).toEqual([])
})
