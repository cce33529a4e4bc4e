import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Reply, SeenRequest } from './backend.ts'
import { tabFiles } from './bundle.ts'

/** The strictest policy that a page can hold: no inline anything, no string into the DOM. */
export const strictPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ')

/** A page to serve: its markup, and the backend behind its management routes. */
export interface SitePage {
  readonly html: string
  readonly backend: { handle(request: SeenRequest): Promise<Reply> }
}

const fontFolder = new URL('../../../node_modules/@fontsource/noto-sans-arabic/', import.meta.url)

/** The style sheets of the fonts, below the address of a page. */
export const FONTS = [400, 500, 600].map((weight) => `/fonts/${weight}.css`)

const styleSheet = `:root { color-scheme: light dark; --apikeys-font: 'Noto Sans Arabic', 'DejaVu Sans', sans-serif; --apikeys-font-mono: 'DejaVu Sans Mono', monospace; }
:root[data-theme=light] { color-scheme: light } :root[data-theme=dark] { color-scheme: dark }
body { margin: 0; padding: 24px; background: light-dark(#fff, #111827); color: light-dark(#111827, #f3f4f6); font: 16px/1.7 'Noto Sans Arabic', sans-serif; }
main { max-inline-size: 1060px; margin: auto } h1 { font-size: 15px; font-weight: 500; margin: 0 0 16px }
@media (max-width: 480px) { body { padding: 12px } }
`

/** A loopback server for the pages of the tests. Every page has management routes of its own. */
export class Site {
  readonly #server: Server
  readonly #pages = new Map<string, SitePage>()
  /** The scripts and style sheets that the pages find. */
  readonly files = new Map([['/page.css', styleSheet]])

  private constructor() {
    this.#server = createServer((request, response) => {
      // Chromium sends a request anew by itself when a connection that it reuses is cut.
      response.setHeader('Connection', 'close')
      this.#serve(request, response).catch((error) => response.destroy(error))
    })
  }

  static async start(): Promise<Site> {
    const site = new Site()
    const { files } = await tabFiles()
    for (const [name, script] of files) site.files.set(`/${name}`, script)
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve))
    return site
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Adds a page; its management routes are under `api` below its address. */
  add(page: SitePage): string {
    const path = `/page-${this.#pages.size + 1}/`
    this.#pages.set(path, page)
    return this.origin + path
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', this.origin)
    const [, folder = ''] = pathname.split('/')
    const page = this.#pages.get(`/${folder}/`)
    const file = this.files.get(pathname)
    if (file !== undefined) return send(response, pathname, file)
    if (folder === 'fonts') return send(response, pathname, await font(pathname))
    if (page === undefined) return void response.writeHead(404).end()
    if (pathname === `/${folder}/`) return send(response, '.html', page.html)
    const path = pathname.slice(`/${folder}/api`.length)
    const { method = 'GET' } = request
    const headers = request.headers as SeenRequest['headers']
    const sent = await text(request)
    const body = sent === '' ? undefined : JSON.parse(sent)
    const reply = await page.backend.handle({ method, path, search, headers, body })
    if (reply === 'cut') return void request.socket.destroy()
    response.writeHead(reply.status, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...reply.headers,
    })
    response.end(JSON.stringify(reply.body))
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

function send(response: ServerResponse, name: string, content: string | Buffer): void {
  response.writeHead(200, {
    'Content-Type': types[name.slice(name.lastIndexOf('.'))],
    'Content-Security-Policy': strictPolicy,
    'Cache-Control': 'no-cache',
  })
  response.end(content)
}

const font = (path: string) => readFile(new URL(path.slice('/fonts/'.length), fontFolder))
