import { execFileSync } from 'node:child_process'

/** Before all tests: the built package is that of these sources, for those who import it by name. */
export function setup(): void {
  execFileSync('npx', ['tsup', '--no-dts', '--no-clean', '--silent'], { stdio: 'inherit' })
}
