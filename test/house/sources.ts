import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The files of a folder, from the root, with one of the endings. */
export function filesIn(folder: string, ...endings: readonly string[]): string[] {
  return (
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      // The built site has copies of the pages, and the reference is made from the docstrings.
      .filter((file) => !/node_modules|\.vitepress\/dist|^docs\/api\//.test(file))
      .sort()
  )
}

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** One import or re-export: static, dynamic or within a type. */
export interface Import {
  readonly file: string
  /** A package, or a file from the root. */
  readonly target: string
  readonly typeOnly: boolean
}

export function importsOf(file: string, text = read(file)): Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return
    found.push({ file, target: targetOf(file, specifier.text), typeOnly })
  }
  const look = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause))
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, exportsTypesOnly(node))
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false)
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true)
    }
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

function targetOf(file: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  if (clause.isTypeOnly) return true
  const { namedBindings } = clause
  if (clause.name !== undefined || namedBindings === undefined) return false
  return ts.isNamedImports(namedBindings) && namedBindings.elements.every((name) => name.isTypeOnly)
}

function exportsTypesOnly({ isTypeOnly: whole, exportClause }: ts.ExportDeclaration): boolean {
  if (whole) return true
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return false
  return exportClause.elements.every((name) => name.isTypeOnly)
}
