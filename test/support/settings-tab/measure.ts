import type { Locator } from 'playwright-core'

/** The characters of an element in the order in which they are drawn, from left to right. */
export async function drawnOrder(element: Locator): Promise<string> {
  return element.evaluate((node) => {
    const drawn: { char: string; left: number }[] = []
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const text = walker.currentNode
      const characters = text.textContent ?? ''
      for (let at = 0; at < characters.length; at += 1) {
        const range = document.createRange()
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        const box = range.getBoundingClientRect()
        if (box.width > 0) drawn.push({ char: characters[at] ?? '', left: box.left })
      }
    }
    return drawn
      .sort((one, other) => one.left - other.left)
      .map(({ char }) => char)
      .join('')
  })
}

/** A computed style of an element. */
export async function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate((node, name) => getComputedStyle(node).getPropertyValue(name), property)
}

/** Whether the page can be scrolled sideways. */
export async function scrollsSideways(element: Locator): Promise<boolean> {
  return element.evaluate(
    ({ ownerDocument: { documentElement: page } }) => page.scrollWidth > page.clientWidth,
  )
}
