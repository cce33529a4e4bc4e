import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../../support/package/child.ts'
import { type Consumer, programFor, type Resolution, tsconfigFor } from './consumers.ts'

/** A compiler and a program for it. */
export interface Trial {
  /** The `tsc` of some version. */
  readonly compiler: string
  readonly consumer: Consumer
  readonly resolution: Resolution
}

/** Checks a program in a folder from which `miftah` is found; answers the errors, a line each. */
export async function typeErrors(folder: string, trial: Trial): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, trial.resolution.file), programFor(trial.consumer))
  writeFileSync(join(folder, 'tsconfig.json'), tsconfigFor(trial.consumer, trial.resolution))
  try {
    const output = await outputOf([process.execPath, trial.compiler, '-p', '.'], folder)
    return linesOf(output)
  } catch (error) {
    const { stdout } = Object(error) as { stdout?: string }
    if (!stdout) throw error
    return linesOf(stdout)
  }
}

function linesOf(output: string): readonly string[] {
  return output.split('\n').filter((line) => line !== '')
}
