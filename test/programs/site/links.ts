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
    const html = readFileSync(join(DIST, page), 'utf8')
    return [...html.matchAll(/<a\b[^>]*? href="([^"]+)"/g)]
      .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), `http://site/${page}`))
      .filter(({ host }) => host === 'site')
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

/** The built pages, from the root of the site. */
export function pages(): readonly string[] {
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .sort()
}

function idsIn(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
}
