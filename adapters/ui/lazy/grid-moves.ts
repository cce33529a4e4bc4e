import { place } from '../parts/grid-keys.ts'

/** Moves the focus: in the row, to the row above or below, to the ends. */
export function moveInGrid(event: KeyboardEvent): void {
  const { target } = event
  if (event.defaultPrevented || !(target instanceof HTMLElement)) return
  const next = nextPlace(event, target)
  if (!next) return
  event.preventDefault()
  next.focus()
}

function nextPlace({ ctrlKey, key }: KeyboardEvent, from: HTMLElement): HTMLElement | undefined {
  const row = from.closest('tr')
  const rows = [...(row?.parentElement?.children ?? [])]
  if (row === null) return undefined
  const forward = getComputedStyle(row).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  const all = placesIn(row)
  const at = all.indexOf(from)
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      return all[at + (key === forward ? 1 : -1)]
    case 'ArrowUp':
    case 'ArrowDown':
      return beside(rows[rows.indexOf(row) + (key === 'ArrowUp' ? -1 : 1)], from)
    case 'Home':
      return placesIn(ctrlKey ? rows[0] : row)[0]
    case 'End':
      return placesIn(ctrlKey ? rows.at(-1) : row).at(-1)
    default:
      return undefined
  }
}

/** The place of another row in the same column, or the nearest before it. */
function beside(row: Element | undefined, from: HTMLElement): HTMLElement | undefined {
  const cell = from.closest('th, td')
  const column = [...(cell?.parentElement?.children ?? [])].indexOf(cell as Element)
  const order = placesIn(cell).indexOf(from)
  const cells = [...(row?.children ?? [])].slice(0, column + 1).map(placesIn)
  const nearest = cells.filter(({ length }) => length > 0).at(-1)
  return nearest?.[Math.min(order, nearest.length - 1)]
}

function placesIn(part: Element | null | undefined): readonly HTMLElement[] {
  return [...(part?.querySelectorAll<HTMLElement>(place) ?? [])]
}
