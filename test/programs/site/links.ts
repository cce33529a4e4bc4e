import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIST, fileOf } from './served.ts'

/** Every link of the built pages that leads nowhere: to no file, or to no heading. */
export function brokenLinks(): readonly string[] {
  const anchors = new Map<string, ReadonlySet<string>>()
  const anchorsOf = (file: string) => {
    const known = anchors.get(file) ?? idsIn(readFileSync(file, 'utf8'))
    anchors.set(file, known)
    return known
  }
  return pages().flatMap((page) => {
    return linksOf(page)
      .filter(({ pathname, hash }) => {
        const file = fileOf(decodeURI(pathname))
        if (file === null) return true
        // The generator of docs/api checks its own headings.
        if (pathname.startsWith('/api/')) return false
        return hash !== '' && !anchorsOf(file).has(decodeURIComponent(hash.slice(1)))
      })
      .map(({ pathname, hash }) => `${page}: ${pathname}${hash}`)
  })
}

/** How many clicks each page is from the start page, by its name without an ending. */
export function clicksFromStart(): ReadonlyMap<string, number> {
  const clicks = new Map([['index', 0]])
  for (const [page, count] of clicks) {
    for (const { pathname } of linksOf(`${page}.html`)) {
      const name = pathname
        .slice(1)
        .replace(/\.html$/, '')
        .replace(/(^|\/)$/, '$1index')
      if (!clicks.has(name) && fileOf(`/${name}.html`) !== null) clicks.set(name, count + 1)
    }
  }
  return clicks
}

/** The built pages, from the root of the site. */
export function pages(): readonly string[] {
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .sort()
}

/** Where the links of a page lead within the site. */
function linksOf(page: string): readonly URL[] {
  const html = readFileSync(join(DIST, page), 'utf8')
  return [...html.matchAll(/<a\b[^>]*? href="([^"]+)"/g)]
    .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), `http://site/${page}`))
    .filter(({ host }) => host === 'site')
}

function idsIn(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
}
