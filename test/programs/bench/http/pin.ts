import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Whether processes can be bound to cores here: it takes Linux's `taskset` and two cores. */
export const CAN_PIN = canPin()

/** A command bound to one core, or as it was where that cannot be done. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return CAN_PIN ? ['taskset', '-c', String(core), ...command] : command
}

/** Binds this process, with all its threads, to one core where that can be done. */
export function pinThisProcess(core: number): void {
  if (!CAN_PIN) return
  execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)], {
    stdio: 'ignore',
  })
}

function canPin(): boolean {
  if (process.platform !== 'linux' || availableParallelism() < 2) return false
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
