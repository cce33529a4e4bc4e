/** What can have the focus in a row. One of all of them is a tab stop (ARIA grid pattern). */
export const place = '[tabindex]'

/** Makes one place of the grid a tab stop, where none is. */
export function syncGrid(root: ParentNode): void {
  if (root.querySelector('tbody [tabindex="0"]')) return
  root.querySelector(`tbody ${place}`)?.setAttribute('tabindex', '0')
}

/** Makes the place that gets the focus the tab stop. */
export function enterGrid({ currentTarget, target }: Event): void {
  if (!(currentTarget instanceof Element && target instanceof Element)) return
  for (const former of currentTarget.querySelectorAll('[tabindex="0"]')) {
    former.setAttribute('tabindex', '-1')
  }
  target.closest(place)?.setAttribute('tabindex', '0')
}
