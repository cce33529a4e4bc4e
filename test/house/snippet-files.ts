import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { allSnippets } from './snippets.ts'
import { ROOT } from './sources.ts'

const FOLDER = join(ROOT, '.data/snippets')

/**
 * Writes every snippet as a file, and a tsconfig of the project and all of them; answers its path. One
 * run of the compiler then checks both. A file is named after the place of its snippet.
 */
export function writeSnippets(): string {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const { place, code } of allSnippets()) {
    writeFileSync(join(FOLDER, `${place.replaceAll(/[/:]/g, '~')}.ts`), `${code}\nexport {}\n`)
  }
  const config = join(FOLDER, 'tsconfig.json')
  writeFileSync(config, JSON.stringify(configOfAll()))
  return config
}

function configOfAll(): object {
  const root = join(ROOT, 'tsconfig.json')
  const { compilerOptions, include } = ts.parseConfigFileTextToJson(
    root,
    readFileSync(root, 'utf8'),
  ).config
  const inRoot = (path: string) => join(ROOT, path)
  const paths = Object.entries<string[]>(compilerOptions.paths)
  return {
    extends: root,
    compilerOptions: {
      // NestJS asks its users for the decorators of before the standard.
      experimentalDecorators: true,
      // Files of the reader's own, also as Next.js names them.
      rootDirs: [FOLDER, inRoot('test/house/neighbours')],
      paths: {
        ...Object.fromEntries(paths.map(([name, files]) => [name, files.map(inRoot)])),
        '@/lib/*': [inRoot('test/house/neighbours/*.ts')],
      },
    },
    include: [...include.map(inRoot), FOLDER],
  }
}
