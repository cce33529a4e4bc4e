import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A page, with those that belong to it. */
export interface Page {
  /** From the root of the repository. */
  readonly file: string
  readonly title: string
  /** What it is for, in a sentence. */
  readonly about: string
  readonly under: readonly Page[]
}

/** A heading of the navigation. */
export interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

const SECTION = /^## (.+)\n\n((?: *- .*\n)+)/gm
const LINE = /^( *)- \[([^\]]+)\]\(([^)\s]+\.md)\): (.+)$/gm

/** What `npm run docs` makes from the docstrings. */
const REFERENCE: Page = {
  ...{ file: 'docs/api/README.md', title: 'API', under: [] },
  about: 'every export, from its docstring.',
}

/**
 * The navigation of the English pages: `docs/README.md` is the one place, but for the generated reference. A
 * line that is indented belongs to the page above it.
 */
export function navigation(): readonly Group[] {
  return [...read('docs/README.md').matchAll(SECTION)].map(([, title = '', lines = '']) => ({
    title,
    pages: [...(title === 'Reference' ? [REFERENCE] : []), ...listed(lines)],
  }))
}

function listed(lines: string): readonly Page[] {
  const pages: (Page & { under: Page[] })[] = []
  for (const [, indent = '', title = '', link = '', about = ''] of lines.matchAll(LINE)) {
    const page = { file: posix.join('docs', link), title, about, under: [] }
    if (indent === '') pages.push(page)
    else pages.at(-1)?.under.push(page)
  }
  return pages
}

/** What a page is for, as the navigation says it; empty for one that is not listed. */
export function aboutOf(file: string): string {
  const pages = navigation().flatMap((group) => group.pages)
  const all = pages.flatMap((page) => [page, ...page.under])
  return all.find((page) => page.file === file)?.about ?? ''
}

/** The Arabic pages, in the order of the English ones. */
export function arabicNavigation(): readonly Page[] {
  const files = arabicGuides()
  const english = navigation().flatMap(({ pages }) => pages.map(({ file }) => basename(file)))
  const place = (file: string) => english.indexOf(basename(file))
  return files.sort((a, b) => place(a) - place(b)).map((file) => pageOf(file))
}

/** Every guide, whether a navigation reaches it or not. */
export function guides(): readonly string[] {
  const lists = ['docs/README.md', 'docs/start.md']
  return [...filesOf('docs').filter((file) => !lists.includes(file)), ...arabicGuides()]
}

function arabicGuides(): string[] {
  return filesOf('docs/ar').filter((file) => !/\/(README|start)\.md$/.test(file))
}

/** The pages that the navigation reaches, from the root of the repository. */
export function reachedPages(): ReadonlySet<string> {
  const files = (pages: readonly Page[]): string[] =>
    pages.flatMap(({ file, under }) => [file, ...files(under)])
  return new Set(files([...navigation().flatMap(({ pages }) => pages), ...arabicNavigation()]))
}

function pageOf(file: string): Page {
  const [, title = file] = /^# (.+)$/m.exec(read(file)) ?? []
  return { file, title: title.replaceAll(/[`\\]/g, ''), about: '', under: [] }
}

function filesOf(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
