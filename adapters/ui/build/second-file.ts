import { createHash } from 'node:crypto'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'
import { minifyTemplates } from './minify-templates.ts'
import { SharedNames } from './shared-names.ts'

const tab = fileURLToPath(new URL('..', import.meta.url))
const folder = resolve(tab, 'more') + sep
const shape = { minify: true, target: 'es2022', platform: 'neutral', charset: 'utf8' } as const

/** What the second file is called beside the first one. */
export const secondFileName = 'settings-tab-more.js'

interface SecondFile {
  readonly code: string
  /** Tells one build from another. */
  readonly id: string
  /** What it takes from the first file. */
  readonly shared: SharedNames
}

let made: Promise<SecondFile> | undefined

/**
 * The file that the tab loads after its first screen: what is in `more`. Whatever that imports from
 * elsewhere is in the first file already, and is passed in rather than imported: the address of the
 * first file is the page's choice, and a strict policy of trusted types allows lit-html only once.
 */
export function secondFile(): Promise<SecondFile> {
  made ??= makeSecondFile()
  return made
}

async function makeSecondFile(): Promise<SecondFile> {
  const shared = await SharedNames.of(folder)
  const { outputFiles } = await build({
    ...shape,
    entryPoints: [resolve(folder, 'index.ts')],
    bundle: true,
    format: 'cjs',
    write: false,
    plugins: [takeShared(shared), minifyTemplates],
  })
  const body = outputFiles[0]?.text ?? ''
  const id = createHash('sha256').update(body).digest('hex').slice(0, 8)
  const source = `export const id='${id}'
export const open=($shared)=>{const module={exports:{}};${body};return module.exports}`
  const { code } = await transform(source, { ...shape, format: 'esm' })
  return { code: `/*! miftah, MIT */\n${code}`, id, shared }
}

/** Takes what comes from outside of the folder out of the list that the first file passes in. */
function takeShared(shared: SharedNames): Plugin {
  return {
    name: 'take-shared',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path, importer }) => {
        const wanted = path.startsWith('.') ? resolve(dirname(importer), path) : path
        const inside = kind === 'entry-point' || wanted.startsWith(folder)
        return inside ? undefined : { path: wanted, namespace: 'shared' }
      })
      onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({
        contents: shared
          .placesOf(path)
          .map(([name, at]) => `export const ${name} = $shared[${at}]`)
          .join('\n'),
      }))
    },
  }
}

/** Puts the loading of the second file in the place of `load-more.ts`. */
export const loadSecondFile: Plugin = {
  name: 'load-second-file',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]ui[\\/]load-more\.ts$/ }, async () => ({
      contents: loaderOf(await secondFile()),
      resolveDir: tab,
      loader: 'js',
    }))
    onResolve({ filter: new RegExp(`${secondFileName}$`) }, ({ path }) => ({
      path,
      external: true,
    }))
  },
}

/*
 * The plain import is what bundlers find and make a file of. Some browsers remember for ever that a
 * module could not be loaded, and caches may hold that of another build: the second attempt, for pages
 * without a bundler, is for an address of its own.
 */
function loaderOf({ id, shared }: SecondFile): string {
  const pathOf = (path: string) =>
    path.startsWith(tab) ? `./${relative(tab, path).replaceAll(sep, '/')}` : path
  const imports = shared.modules.map((path) => {
    const names = shared.placesOf(path).map(([name, at]) => `${name} as shared${at}`)
    return `import { ${names.join(', ')} } from ${JSON.stringify(pathOf(path))}`
  })
  return `${imports.join('\n')}
const checked = (file) => {
  if (file.id !== '${id}') throw new Error('${secondFileName} is of another build')
  return file.open([${Array.from({ length: shared.size }, (_, at) => `shared${at}`)}])
}
let opened, attempts = 0
const again = () => {
  const address = new URL('./' + '${secondFileName}', import.meta.url)
  address.search = '${id}-' + attempts++
  return import(/* webpackIgnore: true */ /* @vite-ignore */ address.href).then(checked)
}
export const loadMore = () =>
  opened ??= import('./${secondFileName}').then(checked).catch(again).catch((error) => {
    opened = undefined
    throw error
  })
`
}
