/*
 * What Lit takes from a page while it loads, also where there is none: a server may import the tab. Lit's
 * own build for servers defines a registry of elements there, and has 3 kB more with gzip.
 */

export const HTMLElement = globalThis.HTMLElement ?? class {}

export const document = globalThis.document ?? { createTreeWalker() {} }
