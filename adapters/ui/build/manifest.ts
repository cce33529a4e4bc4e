import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as analyzer from '@custom-elements-manifest/analyzer'
import type typescript from 'typescript'
import { attributeOf, type SettingName } from '../tab/settings.ts'

/** What the analyzer exports but does not declare; its TypeScript is of another version than ours. */
interface Analyzer {
  readonly ts: typeof typescript
  create(options: { readonly modules: readonly unknown[] }): {
    readonly modules: readonly { readonly declarations?: readonly Declaration[] }[]
  }
}

interface Declaration {
  readonly kind: string
  readonly attributes?: readonly object[]
  readonly members?: readonly { readonly privacy?: string; readonly static?: boolean }[]
}

const { create, ts } = analyzer as unknown as Analyzer
const path = 'dist/settings-tab.js'
const name = 'ApiKeysTab'

/**
 * The manifest of `<api-keys-tab>` for editors and documentation tools: slots, parts, custom properties,
 * states and methods from the docstrings of its class, attributes, properties and events from the
 * interfaces of its settings and events. Only what is public.
 */
export async function manifestText(): Promise<string> {
  const settings = await membersOf('../tab/settings.ts', 'ApiKeysTabSettings')
  const events = await membersOf('../tab/events.ts', 'ApiKeysTabEvents')
  const { modules, ...manifest } = create({ modules: [await parsed('../tab/element.ts')] })
  const declarations = modules
    .flatMap((module) => module.declarations ?? [])
    .filter((declaration) => declaration.kind === 'class')
    .map(({ attributes = [], members = [], ...declaration }) => ({
      ...declaration,
      name,
      superclass: { name: 'HTMLElement' },
      attributes: [...attributes, ...settings.flatMap(attributesOf)],
      events: events.map((event) => ({
        ...event,
        type: { text: `CustomEvent<ApiKeysTabEvents['${event.name}']>` },
      })),
      members: [
        ...settings.map((setting) => ({ kind: 'field', ...setting })),
        ...members.filter((member) => !member.privacy && !member.static),
      ],
    }))
  const exports = [{ kind: 'js', name, declaration: { name, module: path } }]
  const module = { kind: 'javascript-module', path, declarations, exports }
  return `${JSON.stringify({ ...manifest, modules: [module] }, null, 1)}\n`
}

async function parsed(file: string): Promise<typescript.SourceFile> {
  const text = await readFile(fileURLToPath(new URL(file, import.meta.url)), 'utf8')
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
}

/** The members of an interface, with their docstrings. */
async function membersOf(file: string, wanted: string) {
  const [found] = (await parsed(file)).statements
    .filter(ts.isInterfaceDeclaration)
    .filter((one) => one.name.text === wanted)
  return [...(found?.members ?? [])].filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText().replaceAll("'", ''),
    description: ts.getJSDocCommentsAndTags(member).map(({ comment }) => comment)[0],
    type: { text: member.type?.getText() },
  }))
}

function attributesOf({ name, ...setting }: { readonly name: string }): readonly object[] {
  const attribute = attributeOf(name as SettingName)
  return attribute === null ? [] : [{ ...setting, name: attribute, fieldName: name }]
}
