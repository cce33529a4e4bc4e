/** What a page of the tests keeps about itself; see `recordPage`. */
export interface PageRecord {
  readonly events: { readonly type: string; readonly detail: unknown }[]
  readonly violations: string[]
  readonly announced: string[]
}

declare global {
  interface Window {
    record: PageRecord
  }
}

/** Runs in the page before anything else: keeps events of these types, policy violations and announcements. */
export function recordPage(types: readonly string[]): void {
  const record: PageRecord = { events: [], violations: [], announced: [] }
  window.record = record
  for (const type of types) {
    addEventListener(type, (event) => {
      const { bubbles, composed } = event
      const detail = event instanceof CustomEvent ? event.detail : null
      record.events.push({ type, detail: { ...detail, bubbles, composed } })
    })
  }
  addEventListener('securitypolicyviolation', (event) => {
    record.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)
  })
  const watched = new WeakSet<Node>()
  const watch = (node: Node) => {
    if (watched.has(node)) return
    watched.add(node)
    new MutationObserver(() => {
      if (node.textContent) record.announced.push(node.textContent)
    }).observe(node, { childList: true, characterData: true, subtree: true })
  }
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init)
    const find = () =>
      root.querySelectorAll('[role=status], [role=alert], [aria-live]').forEach(watch)
    new MutationObserver(find).observe(root, { childList: true, subtree: true })
    return root
  }
}
