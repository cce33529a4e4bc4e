const dayMs = 86_400_000

/** A day as a date field writes it, `2026-11-21`: so many days after an instant, by the clocks of a zone. */
export function dayAfter(days: number, at: number, timeZone: string | undefined): string {
  return new Date(wallClock(at, timeZone) + days * dayMs).toISOString().slice(0, 10)
}

/** The last millisecond of a day by the clocks of a zone; NaN for what is no day. */
export function endOfDay(day: string, timeZone: string | undefined): number {
  const midnight = Date.parse(`${day}T00:00:00Z`) + dayMs
  if (Number.isNaN(midnight)) return midnight
  const offset = (at: number) => wallClock(at, timeZone) - at
  // The first offset may be that of the other side of a change of the clocks.
  return midnight - offset(midnight - offset(midnight)) - 1
}

/** What the clocks of a zone show, as if they showed UTC. */
function wallClock(at: number, timeZone: string | undefined): number {
  const shown = new Date(at).toLocaleString('sv-SE', { timeZone })
  return Date.parse(`${shown.replace(' ', 'T')}Z`) + (at % 1000)
}
