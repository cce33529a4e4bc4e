import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A page, with those that belong to it. */
export interface Page {
  /** From the root of the repository. */
  readonly file: string
  readonly title: string
  readonly under: readonly Page[]
}

/** A heading of the navigation. */
export interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

const GROUP = /^- \*\*(.+?):\*\*((?:.*\n)(?:^ {2}.*\n)*)/gm

/** What `npm run docs` makes from the docstrings. */
const REFERENCE: Page = { file: 'docs/api/README.md', title: 'API', under: [] }

/**
 * The navigation of the English pages: the list “Read on” of the README is the one place, but for the
 * generated reference. A page `settings-tab-security.md` that is not listed there belongs to `settings-tab.md`.
 */
export function navigation(): readonly Group[] {
  const groups = listedGroups()
  return groups.map(({ title, pages }) => ({
    title,
    pages: title === 'Reference' ? [REFERENCE, ...pages] : pages,
  }))
}

function listedGroups(): readonly Group[] {
  const [, list = ''] = read('README.md').split(/^## Read on$/m)
  return [...list.matchAll(GROUP)].map(([, title = '', links = '']) => ({
    title,
    pages: [...links.matchAll(/\[([^\]]+)\]\(([^)#\s]+\.md)\)/g)].map(
      ([, name = '', file = '']) => ({ file, title: name, under: pagesUnder(file, list) }),
    ),
  }))
}

/** The Arabic pages, in the order of the English ones. */
export function arabicNavigation(): readonly Page[] {
  const files = filesOf('docs/ar')
  const english = navigation().flatMap(({ pages }) => pages.map(({ file }) => basename(file)))
  const place = (file: string) => english.indexOf(basename(file))
  return files.sort((a, b) => place(a) - place(b)).map((file) => pageOf(file))
}

/** Every guide, whether a navigation reaches it or not. */
export function guides(): readonly string[] {
  return [...filesOf('docs'), ...filesOf('docs/ar')]
}

/** The pages that the navigation reaches, from the root of the repository. */
export function reachedPages(): ReadonlySet<string> {
  const files = (pages: readonly Page[]): string[] =>
    pages.flatMap(({ file, under }) => [file, ...files(under)])
  return new Set(files([...navigation().flatMap(({ pages }) => pages), ...arabicNavigation()]))
}

/** The longest listed page whose name begins this one has it. */
function pagesUnder(parent: string, list: string): readonly Page[] {
  const stem = (file: string) => file.replace(/\.md$/, '')
  const listed = [...list.matchAll(/\]\(([^)#\s]+\.md)\)/g)].map(([, file = '']) => file)
  const owner = (file: string) =>
    listed
      .filter((other) => file.startsWith(`${stem(other)}-`))
      .sort((a, b) => b.length - a.length)[0]
  return filesOf('docs')
    .filter((file) => !listed.includes(file) && owner(file) === parent)
    .map((file) => pageOf(file))
}

function pageOf(file: string): Page {
  const [, title = file] = /^# (.+)$/m.exec(read(file)) ?? []
  return { file, title: title.replaceAll(/[`\\]/g, ''), under: [] }
}

function filesOf(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
