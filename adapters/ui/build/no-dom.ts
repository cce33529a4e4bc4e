/*
 * What Lit's build for servers takes for a DOM. Its own shim has 4 kB with gzip, and defines elements
 * on the server, where the tab does nothing.
 */

/** The class that elements extend where there is no DOM. */
export const HTMLElement = class {}

/** There is no registry. */
export const customElements = undefined
