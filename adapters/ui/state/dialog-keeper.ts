/** Opens and closes one native dialog as the state says, and gives the focus back to its opener. */
export class DialogKeeper {
  #shown: HTMLDialogElement | null = null
  #opener: HTMLElement | null = null

  sync(dialog: HTMLDialogElement, open: boolean): void {
    // Also when the dialog was drawn anew while it is open.
    if (open && this.#shown !== dialog) {
      this.#opener ??= focusedIn(dialog.getRootNode())
      dialog.showModal()
      // The focused button may be below what is asked.
      dialog.firstElementChild?.scrollTo(0, 0)
    }
    if (!open && this.#shown !== null) {
      if (dialog.open) dialog.close()
      // The browser does this too, but not for every opener that was rendered anew.
      if (this.#opener?.isConnected !== false) this.#opener?.focus()
      // A list that was loaded meanwhile may have no place for it.
      else dialog.closest<HTMLElement>('#root')?.focus({ preventScroll: true })
      this.#opener = null
    }
    this.#shown = open ? dialog : null
  }
}

function focusedIn(root: Node): HTMLElement | null {
  const active = root instanceof ShadowRoot ? root.activeElement : null
  return active instanceof HTMLElement ? active : null
}
