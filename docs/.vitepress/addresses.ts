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

/** Addresses that readers may have from elsewhere, each with the one that they are sent to. */
export const REDIRECTS: Readonly<Record<string, string>> = {
  'docs/getting-started.html': 'getting-started.html',
  'getting-started/index.html': 'getting-started.html',
  'quickstart.html': 'getting-started.html',
  'install.html': 'getting-started.html',
  'docs/index.html': 'index.html',
  'README.html': 'index.html',
  'ar/README.html': 'ar/index.html',
  'reference.html': 'api/index.html',
}

/** The page of a redirect. */
export function redirectPage(from: string, to: string): string {
  const href = `${'../'.repeat(from.split('/').length - 1)}${to}`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Moved</title>
<meta http-equiv="refresh" content="0; url=${href}"><link rel="canonical" href="${href}"></head>
<body><p>This page is now <a href="${href}">here</a>.</p></body></html>
`
}
