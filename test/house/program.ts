import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './sources.ts'

/** What the project's own tsconfig says, with its paths. */
const CONFIG = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
)

/** One program over files of the project and texts that stand in no file. */
export function programOf(
  files: readonly string[],
  texts: ReadonlyMap<string, string>,
): ts.Program {
  const host = ts.createCompilerHost(CONFIG.options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (name) => texts.has(name) || fileExists(name)
  host.readFile = (name) => texts.get(name) ?? readFile(name)
  host.getSourceFile = (name, ...rest) => {
    const text = texts.get(name)
    return text === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  }
  const roots = [...files.map((file) => join(ROOT, file)), ...texts.keys()]
  return ts.createProgram(roots, CONFIG.options, host)
}

/** The errors of one file, a line each. */
export function errorsIn(program: ts.Program, name: string): string[] {
  const source = program.getSourceFile(name)
  const found = [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]
  return found.map(({ start = 0, messageText }) => {
    const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line + 1
    return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
