import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'

/** Before all tests: the built package is that of these sources, for those who import it by name. */
export function setup(): void {
  for (const name of chunksOfBefore()) rmSync(`dist/${name}`)
  execFileSync('npx', ['tsup', '--no-dts', '--no-clean', '--silent'], { stdio: 'inherit' })
}

/** Their names follow from what is in them, so that those of other sources stay behind. */
function chunksOfBefore(): string[] {
  try {
    return readdirSync('dist').filter((name) => /^chunk-.*\.js$/.test(name))
  } catch {
    return []
  }
}
