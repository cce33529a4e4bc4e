/** How far another clock is ahead of the clock of this process. */
export interface ClockSkew {
  readonly clockAheadMs: number
  /** Half the time that asking took: the clock was read at an unknown moment in between. */
  readonly clockErrorMs: number
}

/** Asks another clock for its milliseconds since the epoch, and compares it with this process's. */
export async function clockSkew(ask: () => Promise<number>): Promise<ClockSkew> {
  const startMs = performance.now()
  const fromMs = Date.now()
  const theirsMs = await ask()
  const clockErrorMs = Math.ceil((performance.now() - startMs) / 2)
  return { clockAheadMs: Math.round(theirsMs - fromMs - clockErrorMs), clockErrorMs }
}
