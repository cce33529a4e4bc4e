import { readFile } from 'node:fs/promises'

const name = 'ApiKeysTab'
const path = 'dist/settings-tab.js'
const guide = new URL('../../../docs/settings-tab-customising.md', import.meta.url)

/**
 * The manifest of `<api-keys-tab>` for editors and documentation tools. What is public stands in the tables
 * of its guide, and is read there.
 */
export async function manifestText(): Promise<string> {
  const sections = (await readFile(guide, 'utf8')).split(/^## /m)
  const rowsOf = (title: string) =>
    rowsIn(sections.find((section) => section.startsWith(`${title}\n`)) ?? '')
  const settings = rowsOf('Settings').map(([property, attribute, , description]) => {
    const [field] = codesIn(property)
    const type = { text: `ApiKeysTabSettings['${field}']` }
    return { field, attribute: codesIn(attribute)[0], about: { description, type } }
  })
  const members = rowsOf('Methods and state').map(([member = '', description]) => {
    const [, word = '', call] = /`(\w+)(\()?/.exec(member) ?? []
    return { kind: call ? 'method' : 'field', name: word, description }
  })
  const theme = rowsOf('Theme')
  const declaration = {
    kind: 'class',
    customElement: true,
    tagName: 'api-keys-tab',
    name,
    superclass: { name: 'HTMLElement' },
    attributes: settings.flatMap(({ about, attribute, field }) =>
      attribute ? [{ name: attribute, fieldName: field, ...about }] : [],
    ),
    members: [
      ...settings.map(({ about, field }) => ({ kind: 'field', name: field, ...about })),
      ...members,
    ],
    events: rowsOf('Events').flatMap(([events, , description]) =>
      codesIn(events).map((event) => ({
        name: event,
        type: { text: `CustomEvent<ApiKeysTabEvents['${event}']>` },
        description,
      })),
    ),
    slots: rowsOf('Slots').map(([slot, description]) => ({ name: codesIn(slot)[0], description })),
    cssProperties: theme
      .filter(([property]) => property?.startsWith('`--'))
      .map(([property, light, ...cells]) => ({
        name: codesIn(property)[0],
        default: codesIn(light)[0],
        description: cells.at(-1),
      })),
    cssParts: theme
      .filter(([property]) => !property?.startsWith('`'))
      .flatMap(([, parts]) => codesIn(parts).map((part) => ({ name: part }))),
  }
  const exports = [{ kind: 'js', name, declaration: { name, module: path } }]
  const module = { kind: 'javascript-module', path, declarations: [declaration], exports }
  return `${JSON.stringify({ schemaVersion: '1.0.0', modules: [module] }, null, 1)}\n`
}

/** The rows of all tables of a section, as cells. */
function rowsIn(section: string): readonly (readonly string[])[] {
  const tables = section.matchAll(/^\|.*\n\| ?---.*\n((?:\|.*\n)+)/gm)
  const rows = [...tables].flatMap(([, body = '']) => body.trim().split('\n'))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function codesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
