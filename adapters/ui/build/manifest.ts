import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as analyzer from '@custom-elements-manifest/analyzer'
import type typescript from 'typescript'

/** What the analyzer exports but does not declare; its TypeScript is of another version than ours. */
interface Analyzer {
  readonly ts: typeof typescript
  create(options: { readonly modules: readonly unknown[] }): {
    readonly modules: readonly { readonly declarations?: readonly Declaration[] }[]
  }
}

interface Declaration {
  readonly kind: string
  readonly members?: readonly { readonly privacy?: string; readonly static?: boolean }[]
}

const { create, ts } = analyzer as unknown as Analyzer
const source = fileURLToPath(new URL('../api-keys-tab.ts', import.meta.url))
const path = 'dist/settings-tab-element.js'
const name = 'ApiKeysTab'

/**
 * The manifest of `<api-keys-tab>` for editors and documentation tools: attributes, properties,
 * events, slots, parts, custom properties and states, read from its source. Only what is public.
 */
export async function manifestText(): Promise<string> {
  const file = ts.createSourceFile(
    path,
    await readFile(source, 'utf8'),
    ts.ScriptTarget.ES2022,
    true,
  )
  const { modules, ...manifest } = create({ modules: [file] })
  const declarations = modules
    .flatMap((module) => module.declarations ?? [])
    .filter((declaration) => declaration.kind === 'class')
    .map((declaration) => ({
      ...declaration,
      name,
      superclass: { name: 'HTMLElement' },
      members: declaration.members?.filter((member) => !member.privacy && !member.static),
    }))
  const exports = [{ kind: 'js', name, declaration: { name, module: path } }]
  const module = { kind: 'javascript-module', path, declarations, exports }
  return `${JSON.stringify({ ...manifest, modules: [module] }, null, 1)}\n`
}
