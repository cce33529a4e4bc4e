import { createRequire } from 'node:module'

const { compilerOptions } = createRequire(import.meta.url)('./tsconfig.entries.json')
const entries = Object.entries(compilerOptions.paths).filter(([name]) => name.startsWith('miftah'))

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'miftah',
  tsconfig: 'docs/tsconfig.json',
  entryPoints: entries.map(([, [source]]) => source),
  plugin: ['typedoc-plugin-markdown'],
  out: 'docs/api',
  readme: 'none',
  router: 'module',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  disableGit: true,
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  sortEntryPoints: false,
  sort: ['source-order'],
  groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  skipErrorChecking: true,
  validation: {
    notExported: true,
    invalidLink: true,
    notDocumented: true,
  },
  requiredToBeDocumented: [
    'Module',
    'Variable',
    'Function',
    'Class',
    'Constructor',
    'Interface',
    'Property',
    'Method',
    'Accessor',
    'TypeAlias',
    'Enum',
    'EnumMember',
    'CallSignature',
    'ConstructorSignature',
  ],
  intentionallyNotExported: [
    'src/model/audit-event.ts:Stored',
    'adapters/react/props.ts:Pascal',
    'adapters/ui/strings/en.ts:en',
    'adapters/ui/more/strings-en.ts:moreEn',
  ],
  treatValidationWarningsAsErrors: true,
}
