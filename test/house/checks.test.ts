import { join } from 'node:path'
import { test } from 'vitest'
import { outputOf } from '../support/package/child.ts'
import { writeSnippets } from './snippet-files.ts'
import { ROOT } from './sources.ts'

/** Checks in a quarter of the time that TypeScript 6 takes, which other tools still need. */
const COMPILER = 'typescript-7/bin/tsc'

// Beside other work a check takes minutes. `npm run check` runs the same without the snippets, and what is in `checks.ci.test.ts`.
test.each([
  ['the format and the lint', ['.bin/biome', 'check', '.']],
  [
    'the types, of the snippets of the guides and of doc comments too',
    [COMPILER, '--noEmit', '-p', writeSnippets()],
  ],
  ['the types of the core, without those of Node and of the DOM', [COMPILER, '-p', 'src']],
])(
  '%s',
  async (_, [tool = '', ...words]) => {
    await outputOf([join(ROOT, 'node_modules', tool), ...words], ROOT)
  },
  600_000,
)
