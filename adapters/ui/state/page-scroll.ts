let holders = 0
let former = ''

/** Keeps the page from scrolling behind a dialog, for as long as somebody holds it. */
export class PageScroll {
  #holds = false

  hold(holds: boolean): void {
    if (holds === this.#holds) return
    this.#holds = holds
    const { style, clientWidth } = document.documentElement
    if (holds && holders === 0) {
      former = style.cssText
      const scrollBar = innerWidth > clientWidth
      style.overflow = 'hidden'
      // The page keeps its width when its scroll bar goes.
      if (scrollBar) style.scrollbarGutter = 'stable'
    }
    holders += holds ? 1 : -1
    if (holders === 0) style.cssText = former
  }
}
