/* What lit-html takes from a page while it loads, also where there is none: a server may import the tab. */

export const document = globalThis.document ?? { createTreeWalker() {} }
