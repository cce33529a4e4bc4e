import type { Tab } from './tab.ts'

/** What a dialog changes of the style of the page; everything else there is the page's own. */
const NAMES = ['overflow-x', 'overflow-y', 'scrollbar-gutter'] as const

type Declaration = readonly [name: string, value: string, priority: string]

/** How many tabs of the page have a dialog open, and what the page said before the first one. */
let holders = 0
let former: readonly Declaration[] = []

/** A dialog that is open, and what had the focus before. */
interface Shown {
  readonly dialog: HTMLDialogElement
  readonly opener: HTMLElement | null
}

/** The native dialogs of the tab: open as the state says, while the page behind them does not scroll. */
export class Dialogs {
  readonly #tab: Tab
  readonly #shown = new Map<string, Shown>()
  #holds = false

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Whether one of them asks something. */
  get open(): boolean {
    return this.#states.some(([, { open }]) => open)
  }

  /** Brings every dialog in line with its state. */
  sync(root: ParentNode): void {
    // Those that close give the focus back before another one opens.
    for (const [id, { open }] of this.#states.sort(([, a], [, b]) => +a.open - +b.open)) {
      const dialog = root.querySelector<HTMLDialogElement>(`#${id}`)
      if (dialog !== null) this.#sync(dialog, open)
    }
    this.#hold(this.open)
  }

  /** Lets the page go, which the tab is leaving. */
  leave(): void {
    this.#hold(false)
  }

  /** By the ids of their elements. */
  get #states(): [string, { readonly open: boolean }][] {
    const { confirmation, lazy } = this.#tab
    return Object.entries({ confirm: confirmation, ...lazy.parts?.dialogs })
  }

  #sync(dialog: HTMLDialogElement, open: boolean): void {
    const shown = this.#shown.get(dialog.id)
    // Also when the dialog was drawn anew while it is open.
    if (open && shown?.dialog !== dialog) {
      const opener = shown ? shown.opener : focusedIn(dialog.getRootNode())
      this.#shown.set(dialog.id, { dialog, opener })
      dialog.showModal()
      // The focused button may be below what is asked.
      dialog.firstElementChild?.scrollTo(0, 0)
    }
    if (open || !shown) return
    if (dialog.open) dialog.close()
    // The browser does this too, but not for every opener that was rendered anew.
    if (shown.opener?.isConnected !== false) shown.opener?.focus()
    // A list that was loaded meanwhile may have no place for it.
    else dialog.closest<HTMLElement>('#root')?.focus({ preventScroll: true })
    this.#shown.delete(dialog.id)
  }

  #hold(holds: boolean): void {
    if (holds === this.#holds) return
    this.#holds = holds
    const { style } = document.documentElement
    if (holds && holders === 0) stopScrolling(style)
    holders += holds ? 1 : -1
    if (holders === 0) for (const declaration of former) style.setProperty(...declaration)
  }
}

function focusedIn(root: Node): HTMLElement | null {
  const active = root instanceof ShadowRoot ? root.activeElement : null
  return active instanceof HTMLElement ? active : null
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
