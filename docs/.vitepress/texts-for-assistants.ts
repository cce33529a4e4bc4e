import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { navigation, type Page, ROOT } from './navigation.ts'

/** Writes `llms.txt`, `llms-full.txt` and the text of each page beside it (llmstxt.org). */
export function writeTexts(folder: string, address: (file: string) => string): void {
  const all = navigation().map(({ title, pages }) => ({ title, pages: pages.flatMap(withUnder) }))
  const lines = all.flatMap(({ title, pages }) => [
    ...['', `## ${title}`, ''],
    ...pages.map((page) => `- [${page.title}](${address(page.file)}.md): ${page.about}`),
  ])
  const { description }: { description: string } = JSON.parse(read('package.json'))
  const start = `# miftah\n\n> ${description}\n`
  writeFileSync(join(folder, 'llms.txt'), `${start}${lines.join('\n')}\n`)
  const pages = all.flatMap((group) => group.pages)
  const texts = ['README.md', ...pages.map(({ file }) => file)].map(read)
  writeFileSync(join(folder, 'llms-full.txt'), texts.join('\n\n'))
  for (const { file } of pages) write(join(folder, `${address(file)}.md`), read(file))
}

function withUnder(page: Page): readonly Page[] {
  return [page, ...page.under]
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}
