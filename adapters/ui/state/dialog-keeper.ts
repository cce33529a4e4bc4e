/** Opens and closes one native dialog as the state says, and gives the focus back to its opener. */
export class DialogKeeper {
  #shown = false
  #opener: HTMLElement | null = null

  sync(dialog: HTMLDialogElement, open: boolean): void {
    if (open && !this.#shown) {
      this.#opener = focusedIn(dialog.getRootNode())
      dialog.showModal()
    }
    if (!open && this.#shown) {
      if (dialog.open) dialog.close()
      // The browser does this too, but not for every opener that was rendered anew.
      if (this.#opener?.isConnected) this.#opener.focus()
      this.#opener = null
    }
    this.#shown = open
  }
}

function focusedIn(root: Node): HTMLElement | null {
  const active = root instanceof ShadowRoot ? root.activeElement : null
  return active instanceof HTMLElement ? active : null
}
