/** Whether the focus is in an element, or nowhere: then it may be moved within it. */
export function mayMoveFocus(frame: HTMLElement): boolean {
  let active = document.activeElement
  while (active?.shadowRoot?.activeElement && active !== frame) {
    active = active.shadowRoot.activeElement
  }
  return active === null || active === document.body || frame.contains(active)
}

/** Moves the focus to an element, with all of the banner that it belongs to in view. */
export function focusInView(target: HTMLElement): void {
  const banner = target.closest('.banner')
  target.focus({ preventScroll: banner !== null })
  const tall = (banner?.clientHeight ?? 0) > innerHeight
  banner?.scrollIntoView({ block: tall ? 'start' : 'nearest' })
}
