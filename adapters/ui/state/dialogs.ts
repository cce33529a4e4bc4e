import { DialogKeeper } from './dialog-keeper.ts'
import { PageScroll } from './page-scroll.ts'

/** Which dialogs there are now, and which are open. */
type States = Readonly<Record<string, { readonly open: boolean }>>

/** The native dialogs of the tab, by the ids of their elements. */
export class Dialogs {
  readonly #states: () => States
  readonly #keepers = new Map<string, DialogKeeper>()
  readonly #page = new PageScroll()

  constructor(states: () => States) {
    this.#states = states
  }

  /** Whether one of them asks something. */
  get open(): boolean {
    return Object.values(this.#states()).some(({ open }) => open)
  }

  /** Brings every dialog in line with its state. */
  sync(root: ParentNode): void {
    // Those that close give the focus back before another one opens.
    const order = Object.entries(this.#states()).sort(
      ([, one], [, other]) => +one.open - +other.open,
    )
    for (const [id, { open }] of order) {
      const keeper = this.#keepers.get(id) ?? new DialogKeeper()
      this.#keepers.set(id, keeper)
      const dialog = root.querySelector<HTMLDialogElement>(`#${id}`)
      if (dialog !== null) keeper.sync(dialog, open)
    }
    this.#page.hold(order.some(([, { open }]) => open))
  }

  /** Lets the page go, which the tab is leaving. */
  leave(): void {
    this.#page.hold(false)
  }
}
