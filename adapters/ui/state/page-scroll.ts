/** What a dialog changes of the style of the page; everything else there is the page's own. */
const NAMES = ['overflow-x', 'overflow-y', 'scrollbar-gutter'] as const

type Declaration = readonly [name: string, value: string, priority: string]

let holders = 0
let former: readonly Declaration[] = []

/** Keeps the page from scrolling behind a dialog, for as long as somebody holds it. */
export class PageScroll {
  #holds = false

  hold(holds: boolean): void {
    if (holds === this.#holds) return
    this.#holds = holds
    const { style } = document.documentElement
    if (holds && holders === 0) stopScrolling(style)
    holders += holds ? 1 : -1
    if (holders === 0) for (const declaration of former) style.setProperty(...declaration)
  }
}

function stopScrolling(style: CSSStyleDeclaration): void {
  const scrollBar = innerWidth > document.documentElement.clientWidth
  former = NAMES.map((name) => [
    name,
    style.getPropertyValue(name),
    style.getPropertyPriority(name),
  ])
  style.overflow = 'hidden'
  // The page keeps its width when its scroll bar goes.
  if (scrollBar) style.scrollbarGutter = 'stable'
}
