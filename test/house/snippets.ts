import { filesIn, read } from './sources.ts'

/** One piece of code that a reader is shown. */
export interface Snippet {
  /** Where it stands: the file and the line of its first line of code. */
  readonly place: string
  readonly code: string
  /** Whether it is run as well as type-checked. */
  readonly runs: boolean
}

/** What uses the library, and not the parts of it that need a page in a browser. */
const RUNNABLE = /^(?![\s\S]*from 'miftah\/settings-tab)[\s\S]*from 'miftah/

/** Every ```ts fence of the guides and of the doc comments. */
export function allSnippets(): Snippet[] {
  const guides = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', '.md')]
  const sources = ['src', 'adapters'].flatMap((room) => filesIn(room, '.ts', '.tsx'))
  return [
    ...guides.flatMap((file) => fencesIn(file, read(file))),
    ...sources.flatMap((file) => fencesIn(file, commentsOnly(read(file)))),
  ]
}

/** The text of the doc comments, each line where it was. */
function commentsOnly(text: string): string {
  let inside = false
  const lines = text.split('\n').map((line) => {
    if (/^\s*\/\*\*/.test(line)) inside = true
    const shown = inside ? line.replace(/^\s*\/?\*+ ?/, '') : ''
    if (line.includes('*/')) inside = false
    return shown
  })
  return lines.join('\n')
}

export function fencesIn(file: string, text: string): Snippet[] {
  const snippets: Snippet[] = []
  let open: { line: number; mark: string; lines: string[] } | null = null
  for (const [at, line] of text.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line)
    if (open === null) {
      if (fence && /^ts\b/.test(fence[1] ?? ''))
        open = { line: at + 2, mark: fence[1] ?? '', lines: [] }
    } else if (fence) {
      const code = open.lines.join('\n')
      const runs = !/\bno-run\b/.test(open.mark) && RUNNABLE.test(code)
      snippets.push({ place: `${file}:${open.line}`, code, runs })
      open = null
    } else open.lines.push(line)
  }
  return snippets
}
