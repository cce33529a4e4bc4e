/**
 * Puts a text on the clipboard: through the clipboard API, and where that is refused or absent
 * (plain HTTP, frames, old browsers) by selecting the element that shows it and copying that.
 * After a failure the text stays selected for a copy by hand.
 */
export async function copyShown(element: HTMLElement, text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(element)
  }
}

export function selectAll(element: HTMLElement): void {
  const range = document.createRange()
  range.selectNodeContents(element)
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
}

function copySelected(element: HTMLElement): boolean {
  let reached = false
  const noteCopy = () => {
    reached = true
  }
  selectAll(element)
  element.addEventListener('copy', noteCopy)
  try {
    // Some browsers answer true without copying; the event shows that the element was reached.
    const copied = document.execCommand('copy') && reached
    if (copied) getSelection()?.removeAllRanges()
    return copied
  } finally {
    element.removeEventListener('copy', noteCopy)
  }
}
