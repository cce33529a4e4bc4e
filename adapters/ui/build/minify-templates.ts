import { readFile } from 'node:fs/promises'
import { type Plugin, transform } from 'esbuild'

const cssTemplate = /(?<=\bcss`)[^`]*(?=`)/g

/**
 * Shrinks what bundlers leave alone in the tab's own files: style sheets in `css` templates, and the
 * indentation in `html` ones. Used when the package is built; nothing of it is shipped.
 */
export const minifyTemplates: Plugin = {
  name: 'minify-templates',
  setup(build) {
    const rewrite = (filter: RegExp, change: (source: string) => string | Promise<string>) =>
      build.onLoad({ filter }, async ({ path }) => ({
        contents: await change(await readFile(path, 'utf8')),
        loader: 'ts',
      }))
    rewrite(/adapters[\\/]ui[\\/](styles[\\/].*|more[\\/].*styles)\.ts$/, minifyStyles)
    rewrite(/adapters[\\/]ui[\\/](parts|more)[\\/].*\.ts$/, minifyMarkup)
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

function minifyMarkup(source: string): string {
  return source.replace(/>\n\s+</g, '>\n<').replace(/\n\s+/g, '\n')
}
