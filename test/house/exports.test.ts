import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { programOf } from './program.ts'
import { ROOT } from './sources.ts'

const program = programOf([...ENTRIES.values()], new Map())

/** The exported names of a file, types among them. */
function namesOf(file: string): readonly string[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(ROOT, file))
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is no module`)
  return checker.getExportsOfModule(module).map(({ name }) => name)
}

describe('the public surface', () => {
  const names = new Map([...ENTRIES].map(([entry, file]) => [entry, namesOf(file)]))

  test('every name of every entry: a new one is a decision, and vitest -u writes it', async () => {
    const lines = [...names].flatMap(([entry, own]) => own.map((name) => `${entry} ${name}\n`))
    await expect(lines.sort().join('')).toMatchFileSnapshot('exports.txt')
  })

  test('at most 20 entries, and 50 names in the root', () => {
    expect(names.size).toBeLessThanOrEqual(20)
    expect(names.get('miftah')?.length).toBeLessThanOrEqual(50)
  })
})
