import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { ROOT } from '../../support/package/npm.ts'

/** The built site. */
export const DIST = join(ROOT, 'docs/.vitepress/dist')

/** Whether `npm run site` has been run. */
export const isBuilt = existsSync(join(DIST, 'index.html'))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** A file that was served, with its size on the wire. */
export interface ServedFile {
  readonly path: string
  readonly gzipBytes: number
}

/** Serves the built site, and keeps what was asked for since it was last emptied. */
export async function serveSite(): Promise<RunningHost & { readonly files: ServedFile[] }> {
  const files: ServedFile[] = []
  const host = await listen(
    createServer((req, res) => {
      const path = decodeURI(new URL(req.url ?? '/', 'http://site').pathname)
      const file = fileOf(path)
      if (file === null) return res.writeHead(404).end()
      const body = readFileSync(file)
      files.push({ path, gzipBytes: gzipSync(body).length })
      res.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(body)
    }),
  )
  return { ...host, files }
}

/** The file of an address, as servers of static files find it. */
export function fileOf(path: string): string | null {
  const file = join(DIST, normalize(path))
  const candidates = [file, `${file}.html`, join(file, 'index.html')]
  return candidates.find((name) => existsSync(name) && statSync(name).isFile()) ?? null
}
