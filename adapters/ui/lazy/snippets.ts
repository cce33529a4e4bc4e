/** A way to write a call. */
export type SnippetLanguage = 'curl' | 'Node' | 'Python' | '.env'

/** Code that ends where the secret belongs, and the rest of it. */
export type Snippet = readonly [before: string, after: string]

const SNIPPETS: Readonly<Record<SnippetLanguage, (url: string) => Snippet>> = {
  curl: (url) => [`curl '${url}' \\\n  -H 'Authorization: Bearer `, `'`],
  Node: (url) => [
    `const response = await fetch('${url}', {\n  headers: { Authorization: 'Bearer `,
    `' },\n})\nconsole.log(response.status, await response.text())`,
  ],
  Python: (url) => [
    `from urllib.request import Request, urlopen\nrequest = Request('${url}', headers={'Authorization': 'Bearer `,
    `'})\nprint(urlopen(request).read().decode())`,
  ],
  '.env': () => ['API_KEY=', ''],
}

/** Every language, in the order in which they are offered. */
export const snippetLanguages = Object.keys(SNIPPETS) as readonly SnippetLanguage[]

/** The first call to an address of the host. */
export function snippetOf(language: SnippetLanguage, address: string): Snippet {
  // Whatever ends a text of a shell, of JavaScript or of Python; encoded, it means the same to HTTP.
  const { href } = new URL(address, document.baseURI)
  return SNIPPETS[language](
    href.replace(/['\\$`]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  )
}
