// A region must be seen empty before it is filled, or nothing is said.
const pauseMs = 50

/** Speaks through the live region that assistive technology can see now. */
export class Announcer {
  #timer: ReturnType<typeof setTimeout> | undefined

  say(root: ParentNode, sentence: string): void {
    clearTimeout(this.#timer)
    for (const region of root.querySelectorAll('[data-live]')) region.textContent = ''
    this.#timer = setTimeout(() => {
      const region = root.querySelector('dialog[open] [data-live]') ?? root.querySelector('#live')
      if (region) region.textContent = sentence
    }, pauseMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
