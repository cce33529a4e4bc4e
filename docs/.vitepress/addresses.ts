/** Pages whose address is not their path. The READMEs are for the repository: here the start pages stand for them. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'docs/start.md': 'index.md',
  'docs/ar/README.md': 'ar/index.md',
  'docs/ar/start.md': 'ar/index.md',
  'docs/README.md': 'guides.md',
}

/** Where a page of the repository stands on the site. */
export function addressOf(file: string): string {
  const own = ADDRESSES[file]
  if (own !== undefined) return own
  const inDocs = file.replace(/^docs\//, '')
  return inDocs
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^([A-Z]+)\.md$/, (name) => name.toLowerCase())
}
