import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './sources.ts'

/** The exported names of a file, types among them, and what each is. */
export function exportsOf(program: ts.Program, file: string): ReadonlyMap<string, ts.Symbol> {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(ROOT, file))
  const module = source && checker.getSymbolAtLocation(source)
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
  return new Map(symbols.map((symbol) => [symbol.name, symbol]))
}

/** The places within an exported type at which it is `any`, as far as it is our own. */
export function anyIn(program: ts.Program, exported: ts.Symbol): string[] {
  return new AnySearch(program.getTypeChecker()).of(exported)
}

class AnySearch {
  readonly #checker: ts.TypeChecker
  readonly #seen = new Set<ts.Type>()
  readonly #found: string[] = []

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  of(exported: ts.Symbol): string[] {
    const alias = exported.flags & ts.SymbolFlags.Alias
    const symbol = alias ? this.#checker.getAliasedSymbol(exported) : exported
    const { flags } = symbol
    if (flags & ts.SymbolFlags.Type) {
      this.#type(this.#checker.getDeclaredTypeOfSymbol(symbol), exported.name)
    }
    if (flags & ts.SymbolFlags.Value) {
      this.#type(this.#checker.getTypeOfSymbol(symbol), exported.name)
    }
    return this.#found
  }

  #type(type: ts.Type, path: string): void {
    if (type.flags & ts.TypeFlags.Any) this.#found.push(path)
    if (this.#seen.has(type)) return
    this.#seen.add(type)
    for (const argument of this.#argumentsOf(type)) this.#type(argument, `${path}<>`)
    if (type.isUnionOrIntersection()) for (const part of type.types) this.#type(part, path)
    else if (!isForeign(type)) this.#members(type, path)
  }

  #members(type: ts.Type, path: string): void {
    for (const property of this.#checker.getPropertiesOfType(type)) {
      this.#type(this.#checker.getTypeOfSymbol(property), `${path}.${property.name}`)
    }
    for (const index of this.#checker.getIndexInfosOfType(type)) this.#type(index.type, `${path}[]`)
    for (const signature of signaturesOf(type)) this.#signature(signature, path)
  }

  #signature(signature: ts.Signature, path: string): void {
    this.#type(signature.getReturnType(), `${path}()`)
    for (const parameter of signature.getParameters()) {
      this.#type(this.#checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
    }
  }

  #argumentsOf(type: ts.Type): readonly ts.Type[] {
    const reference = type as ts.TypeReference
    const isReference = (reference.objectFlags ?? 0) & ts.ObjectFlags.Reference
    const own = isReference ? this.#checker.getTypeArguments(reference) : []
    return [...own, ...(type.aliasTypeArguments ?? [])]
  }
}

function signaturesOf(type: ts.Type): ts.Signature[] {
  return [...type.getCallSignatures(), ...type.getConstructSignatures()]
}

/** A type of the platform or of a package: what is in it is not ours to say. */
function isForeign(type: ts.Type): boolean {
  const declarations = (type.getSymbol() ?? type.aliasSymbol)?.getDeclarations() ?? []
  const own = (file: string) => file.startsWith(ROOT) && !file.includes('/node_modules/')
  return declarations.length > 0 && !declarations.some((node) => own(node.getSourceFile().fileName))
}
