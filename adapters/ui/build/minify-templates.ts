import { readFile } from 'node:fs/promises'
import { type Plugin, transform } from 'esbuild'

const cssTemplate = /(?<=\bcss`)[^`]*(?=`)/

/**
 * Shrinks what bundlers leave alone in the tab's own files: the style sheet of a `css` template, and the
 * indentation in `html` ones. Names each sentence once, although two languages have it, and leaves out
 * what a server says of its codes. Used when the package is built; nothing of it is shipped.
 */
export const minifyTemplates: Plugin = {
  name: 'minify-templates',
  setup(build) {
    const rewrite = (filter: RegExp, change: (source: string) => string | Promise<string>) =>
      build.onLoad({ filter }, async ({ path }) => ({
        contents: await change(await readFile(path, 'utf8')),
        loader: 'ts',
      }))
    rewrite(/adapters[\\/]ui[\\/]styles[\\/].*\.ts$/, minifyStyles)
    // All of the first file is shared then, and becomes one file, which compresses better than two.
    rewrite(/ui[\\/]later\.ts$/, (source) => `export { ApiKeysTab } from './index.ts'\n${source}`)
    // Where sentences and styles come first, gzip remembers more of the code.
    const texts = `import './strings/ar.ts'\nimport './styles/sheet.ts'\n`
    rewrite(/adapters[\\/]ui[\\/]index\.ts$/, (source) => texts + source)
    rewrite(/strings[\\/]ar\.ts$/, withoutIds)
    rewrite(/adapters[\\/]ui[\\/].*\.ts$/, minifyMarkup)
    rewrite(/src[\\/]model[\\/](error|problem)-codes\.ts$/, withoutSpecs)
  },
}

/** The sentences of Arabic in the order of the English ones, which a test keeps the same. */
async function withoutIds(source: string): Promise<string> {
  const { code } = await transform(source, { loader: 'ts', charset: 'utf8' })
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return `import { en } from './en.ts'
const texts = ${JSON.stringify(Object.values(module.ar))}
export const ar = Object.fromEntries(Object.keys(en).map((id, at) => [id, texts[at]]))`
}

async function minifyStyles(source: string): Promise<string> {
  const [sheet = ''] = source.match(cssTemplate) ?? []
  const how = { loader: 'css', minify: true, target: 'esnext', charset: 'utf8' } as const
  const { code } = await transform(sheet, how)
  return source.replace(cssTemplate, () => code.trim())
}

/** The codes alone: the tab has words of its own for them, in two languages. */
function withoutSpecs(source: string): string {
  return source.replace(/\{\s*status:[^}]*\}/g, '0')
}

function minifyMarkup(source: string): string {
  const isAttribute = /\n\s+(?=[.?@]?[\w-]+=["$])/g
  return source.replace(isAttribute, ' ').replace(/\n\s+/g, '\n')
}
