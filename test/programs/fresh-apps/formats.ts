import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'

/** The `type` of a package. */
export type Format = 'commonjs' | 'module'

/** The code of an ES module in JavaScript or TypeScript, as JavaScript of the format. */
export function compiled(code: string, format: Format): string {
  const module = format === 'commonjs' ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext
  const options = { module, target: ts.ScriptTarget.ES2023, esModuleInterop: true }
  return ts.transpileModule(code, { compilerOptions: options }).outputText
}

/** Copies an ES module as a file of the format. */
export function copyAs(format: Format, from: string, to: string): void {
  writeFileSync(to, compiled(readFileSync(from, 'utf8'), format))
}
