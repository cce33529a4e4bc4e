import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = ['src', 'adapters', 'tsup.config.ts', 'tsconfig.json', 'package.json']

/** Before the tests that import the package by name: what is built is that of these sources. */
export function setup(): void {
  if (isFresh()) return
  for (const name of chunksOfBefore()) rmSync(`dist/${name}`)
  execFileSync('npx', ['tsup', '--no-dts', '--no-clean', '--silent'], { stdio: 'inherit' })
}

/** Whether every file of the last build is younger than every source. */
function isFresh(): boolean {
  if (!existsSync('dist/index.js') || !existsSync('dist/settings-tab.js')) return false
  const built = ['dist/index.js', 'dist/settings-tab.js'].map((file) => statSync(file).mtimeMs)
  return Math.max(...SOURCES.flatMap(changesIn)) < Math.min(...built)
}

/** When a file, or each file and folder below one, was changed; folders tell what was removed. */
function changesIn(path: string): number[] {
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return [mtimeMs]
  return [mtimeMs, ...readdirSync(path).flatMap((name) => changesIn(join(path, name)))]
}

/** Their names follow from what is in them, so that those of other sources stay behind. */
function chunksOfBefore(): string[] {
  try {
    return readdirSync('dist').filter((name) =>
      /^(?:chunk|settings-tab)-[A-Z0-9]{8}\.js$/.test(name),
    )
  } catch {
    return []
  }
}
