import { existsSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { addressOf } from './addresses.ts'
import { ROOT } from './navigation.ts'
import { repository } from './repository.ts'

const HOSTS = 'Express|Fastify|Hono|NestJS|Next\\.js|Fetch|`Request → Response`'
const SECTION = `### (?:${HOSTS})\\n\\n\`\`\`ts[^\\n]*\\n[\\s\\S]*?\\n\`\`\`\\n+`
const SECTIONS = new RegExp(`(?:^${SECTION}){2,}`, 'gm')

/** Sections that show the same for one host each become one group of tabs. */
function hostGroups(text: string): string {
  return text.replaceAll(SECTIONS, (sections) => {
    const parts = [...sections.matchAll(/### (.+)\n\n```(\S+)[^\n]*\n([\s\S]*?\n)```/g)]
    const anchors = parts.map(([, host = '']) => `<a id="${host.toLowerCase()}"></a>`)
    const fences = parts.map(
      ([, host, language, code]) => `\`\`\`${language} [${host}]\n${code}\`\`\``,
    )
    return `${anchors.join('')}\n\n::: code-group\n\n${fences.join('\n\n')}\n\n:::\n\n`
  })
}

/** The pages stay as they are read on GitHub; this is what the site makes of them. */
export function adapted(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'host-groups', (state) => {
    state.src = hostGroups(state.src)
  })
  md.core.ruler.push('empty-heads', (state) => {
    for (const [place, token] of state.tokens.entries()) {
      if (token.type === 'th_open' && state.tokens[place + 1]?.content === '') {
        token.tag = 'td'
        const end = state.tokens[place + 2]
        if (end) end.tag = 'td'
      }
    }
  })
  md.core.ruler.push('files', (state) => {
    const path = state.env.realPath ?? state.env.path
    // A title of the front matter is parsed alone.
    if (path === undefined) return
    const folder = posix.dirname(relative(ROOT, path))
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') linked(token, folder)
      if (token.type === 'image') sized(token, folder)
    }
  })
}

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Links to pages get their address on the site, those to other files lead to the repository, if it has one. */
function linked(token: Token, folder: string): void {
  const href = token.attrGet('href') ?? ''
  if (/^[a-z]+:|^#/.test(href)) return
  const [path = '', heading] = href.split('#')
  const file = posix.normalize(posix.join(folder, decodeURI(path)))
  const address = repository()
  if (/^(docs\/.*|[A-Z]+)\.md$/.test(file)) {
    const anchor = heading === undefined ? '' : `#${heading}`
    token.attrSet('href', `/${addressOf(file)}${anchor}`)
  } else if (address === null) token.attrs = [['class', 'file']]
  else token.attrSet('href', `${address}/blob/main/${file}`)
}

/** Pictures have their size, so that nothing moves when they arrive. */
function sized(token: Token, folder: string): void {
  const file = join(ROOT, folder, token.attrGet('src') ?? '')
  token.attrSet('loading', 'lazy')
  if (!file.endsWith('.png') || !existsSync(file)) return
  const header = readFileSync(file).subarray(16, 24)
  token.attrSet('width', String(header.readUInt32BE(0)))
  token.attrSet('height', String(header.readUInt32BE(4)))
}
