import { expect, test } from 'vitest'
import { circlesOf } from './circles.ts'
import { filesIn, importsOf, read } from './sources.ts'

/*
 * What a room may weigh: CONTRIBUTING.md has the numbers that each is to reach. A budget that is not there yet
 * is what the room weighs today. Lower it with each change that takes code away, and raise none.
 */

const CODE = ['.ts', '.tsx', '.js', '.sql', '.css']
const codeIn = (...folders: readonly string[]) => folders.flatMap((room) => filesIn(room, ...CODE))
const SUITE = 'adapters/storage/testing/'

const LINES = [
  { room: 'src', most: 11_492, files: codeIn('src') },
  {
    room: 'adapters/storage',
    most: 6_958,
    files: codeIn('adapters/storage').filter((file) => !file.startsWith(SUITE)),
  },
  { room: 'adapters/storage/testing', most: 1_799, files: codeIn(SUITE) },
  { room: 'adapters/http', most: 3_491, files: codeIn('adapters/http') },
  { room: 'adapters/ui and react', most: 6_300, files: codeIn('adapters/ui', 'adapters/react') },
  { room: 'adapters/cli', most: 1_384, files: codeIn('adapters/cli') },
  {
    room: 'adapters/client, lib, otel and rate-limit',
    most: 1_050,
    files: codeIn('adapters/client', 'adapters/lib', 'adapters/otel', 'adapters/rate-limit'),
  },
  { room: 'test', most: 44_671, files: codeIn('test') },
]

test.each(LINES)('$room has at most $most lines', ({ files, most }) => {
  expect(files.length).toBeGreaterThan(0)
  const lines = files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0)
  expect(lines).toBeLessThanOrEqual(most)
})

/** Rooms in which few files may reach each other through imports, of types too. */
const ROOMS = [
  'src',
  ...['storage', 'http', 'ui', 'cli', 'client'].map((room) => `adapters/${room}`),
]

test.each(ROOMS)('no circle of imports in %s has more than 3 files', (room) => {
  const edges = codeIn(room)
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => importsOf(file))
    .map(({ file, target }) => [file, target] as const)
  const [largest = []] = circlesOf(edges)
  expect(largest.length, largest.join(', ')).toBeLessThanOrEqual(3)
})
