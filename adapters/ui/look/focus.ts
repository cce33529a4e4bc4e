/** Whether the focus is in an element, or nowhere: then it may be moved within it. */
export function mayMoveFocus(frame: HTMLElement): boolean {
  const { activeElement, body } = document
  return activeElement === null || activeElement === body || frame.matches(':focus-within')
}

/** Moves the focus to an element, with all of the banner that it belongs to in view. */
export function focusInView(target: HTMLElement): void {
  const banner = target.closest('.banner')
  target.focus({ preventScroll: banner !== null })
  const tall = (banner?.clientHeight ?? 0) > innerHeight
  banner?.scrollIntoView({ block: tall ? 'start' : 'nearest' })
}

const gap = 6

/**
 * Shows the whole text of what is cut off, and titles, where the focus or the pointer is: a title of the
 * browser reaches neither the keyboard nor a finger.
 */
export function showTip(root: ShadowRoot, event: Event): void {
  const tip = root.querySelector<HTMLElement>('#tip')
  const { target } = event
  if (tip === null || !(target instanceof HTMLElement)) return
  const cell = target.closest('tr > *') ?? target
  const cut = [...cell.querySelectorAll<HTMLElement>('.cut, .due')].filter(
    ({ clientWidth, scrollWidth }) => scrollWidth > clientWidth,
  )
  const title = event.type === 'focusin' ? target.title : ''
  const text = title || cut.map(({ innerText }) => innerText).join('\n')
  if (text === '' || (event.type === 'pointerover' && cut.length === 0)) {
    hideTip(root)
    return
  }
  tip.textContent = text
  tip.showPopover()
  const { bottom, left, right, top } = target.getBoundingClientRect()
  const { offsetHeight: height, offsetWidth: width } = tip
  const start = getComputedStyle(tip).direction === 'rtl' ? right - width : left
  tip.style.left = `${Math.max(gap, Math.min(start, innerWidth - width - gap))}px`
  tip.style.top = `${top > height + gap ? top - height - gap : bottom + gap}px`
}

export function hideTip(root: ShadowRoot): void {
  root.querySelector<HTMLElement>('#tip:popover-open')?.hidePopover()
}
