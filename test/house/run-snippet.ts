import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { expect } from 'vitest'
import { ROOT } from './sources.ts'

/** Told of each `//=>`: what the expression gave, and what the comment says it gives. */
export type Shown = (actual: unknown, expected: unknown) => void

/**
 * Runs a snippet as the body of an async function. Imports become calls of `load`; the expression
 * statement before each `//=>` is handed to `shown` together with what stands behind the arrow.
 */
export async function runSnippet(
  code: string,
  load: (name: string) => Promise<unknown>,
  shown: Shown,
) {
  const body = `${withoutModules(toJavaScript(withShown(code)))}\n`
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  await new AsyncFunction('load', 'shown', 'console', body)(load, shown, SILENT)
  await Promise.all(defined.splice(0))
}

/** Loads a published name from its source, and anything else as a package. */
export function loader(published: ReadonlyMap<string, string>) {
  return (name: string): Promise<unknown> => {
    const file = published.get(name)
    if (name === 'vitest') return Promise.resolve(VITEST)
    return import(file === undefined ? name : pathToFileURL(join(ROOT, file)).href)
  }
}

/** What the tests answered that a snippet has defined. */
const defined: unknown[] = []

/** A test that a snippet defines is run there and then: tests cannot be defined within a test. */
const VITEST = { expect, test: (_name: string, run: () => unknown) => void defined.push(run()) }

const SILENT = { log: () => {}, error: () => {}, warn: () => {}, info: () => {} }

/** Replaces `expression //=> value` by a call that compares the two. */
function withShown(code: string): string {
  const source = ts.createSourceFile('snippet.ts', code, ts.ScriptTarget.Latest, true)
  const statements: ts.ExpressionStatement[] = []
  const look = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) statements.push(node)
    ts.forEachChild(node, look)
  }
  look(source)
  const edits = [...code.matchAll(/\/\/=>(.*)$/gm)].map((arrow) => {
    const before = statements.filter(({ end }) => end <= arrow.index)
    const statement = before.reduce(
      (a, b) => (b.end >= a.end ? b : a),
      before[0] as ts.ExpressionStatement,
    )
    const gap = statement && code.slice(statement.end, arrow.index).trim()
    if (statement === undefined || gap !== '') throw new Error(`nothing to show before ${arrow[0]}`)
    const text = `;shown((${statement.expression.getText()}), (${arrow[1]}));`
    return { start: statement.getStart(), end: arrow.index + arrow[0].length, text }
  })
  return edits.reduceRight(
    (text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end),
    code,
  )
}

function toJavaScript(code: string): string {
  return ts.transpileModule(code, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      experimentalDecorators: true,
    },
  }).outputText
}

function withoutModules(code: string): string {
  return code
    .replaceAll(/^export \{.*\};?$/gm, '')
    .replaceAll(/^export (?=const|function|class|async)/gm, '')
    .replaceAll(/^import '([^']+)';?$/gm, "await load('$1')")
    .replaceAll(/^import \* as (\w+) from '([^']+)';?$/gm, "const $1 = await load('$2')")
    .replaceAll(/^import (\w+) from '([^']+)';?$/gm, "const { default: $1 } = await load('$2')")
    .replaceAll(
      /^import (?:(\w+), )?\{([^}]*)\} from '([^']+)';?$/gm,
      (_, whole: string | undefined, names: string, from: string) => {
        const parts = [...(whole ? [`default: ${whole}`] : []), names.replaceAll(' as ', ': ')]
        return `const { ${parts.join(', ')} } = await load('${from}')`
      },
    )
}
