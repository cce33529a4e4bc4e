import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../support/package/npm.ts'
import type { SectionResult } from './measure/result.ts'
import { SECTIONS } from './sections.ts'

const FOLDER = join(ROOT, 'node_modules/.cache/miftah-bench')
const fileOf = (name: string, short: boolean) =>
  join(FOLDER, `${name}${short ? '.short' : ''}.json`)

/** Runs a section in a process of its own, so that none inherits another's heap or compiled code. */
export async function runSection(name: string, short: boolean): Promise<SectionResult> {
  mkdirSync(FOLDER, { recursive: true })
  const file = fileOf(name, short)
  rmSync(file, { force: true })
  const script = fileURLToPath(new URL('run-section.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      '--expose-gc',
      ...(SECTIONS[name]?.nodeOptions ?? []),
      ...[script, name, file, ...(short ? ['--short'] : [])],
    ],
    { cwd: ROOT, stdio: 'inherit' },
  )
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`section ${name} ended with ${code}`)),
    )
  })
  return read(file)
}

/** The latest full result of each section that has one. */
export function readResults(): ReadonlyMap<string, SectionResult> {
  const found = Object.keys(SECTIONS).filter((name) => existsSync(fileOf(name, false)))
  return new Map(found.map((name) => [name, read(fileOf(name, false))]))
}

function read(file: string): SectionResult {
  return JSON.parse(readFileSync(file, 'utf8'))
}
