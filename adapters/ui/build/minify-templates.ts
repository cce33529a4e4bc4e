import { readFile } from 'node:fs/promises'
import { type Plugin, transform } from 'esbuild'

const cssTemplate = /(?<=\bcss`)[^`]*(?=`)/g
const markupTemplate = /(?<=^\s*|[\s>])\n\s+/g

/**
 * Shrinks what bundlers leave alone in the tab's own files: style sheets in `css` templates, and the
 * indentation in `html` ones. Used when the package is built; nothing of it is shipped.
 */
export const minifyTemplates: Plugin = {
  name: 'minify-templates',
  setup(build) {
    build.onLoad({ filter: /adapters[\\/]ui[\\/]styles[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: await minifyStyles(await readFile(path, 'utf8')),
      loader: 'ts',
    }))
    build.onLoad({ filter: /adapters[\\/]ui[\\/]parts[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n'),
      loader: 'ts',
    }))
  },
}

async function minifyStyles(source: string): Promise<string> {
  const sheets = source.match(cssTemplate) ?? []
  const small = await Promise.all(
    sheets.map(async (sheet) => {
      const { code } = await transform(sheet, { loader: 'css', minify: true, target: 'esnext' })
      return code.trim().replaceAll('\\', '\\\\')
    }),
  )
  return source.replace(cssTemplate, () => small.shift() ?? '')
}
