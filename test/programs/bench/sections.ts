import type { Section } from './measure/result.ts'

/** How a section is run: its title, and what Node is given. */
export interface SectionEntry {
  readonly title: string
  readonly load: () => Promise<Section>
  readonly nodeOptions?: readonly string[]
}

/** The sections in the order of the report. Each runs in a process of its own. */
export const SECTIONS: Readonly<Record<string, SectionEntry>> = {
  'in-process': {
    title: 'In one process',
    load: async () => (await import('./sections/in-process.ts')).inProcess,
  },
  counting: {
    title: 'Usage history and limits',
    load: async () => (await import('./sections/counting.ts')).counting,
  },
  peers: {
    title: 'Peers in one process',
    load: async () => (await import('./sections/peers.ts')).peers,
  },
  'memory-scale': {
    title: 'Memory storage by number of keys',
    load: async () => (await import('./sections/memory-scale.ts')).memoryScale,
    nodeOptions: ['--max-old-space-size=12288'],
  },
  postgres: {
    title: 'PostgreSQL',
    load: async () => (await import('./sections/postgres.ts')).postgres,
  },
  'postgres-scale': {
    title: 'PostgreSQL by number of keys',
    load: async () => (await import('./sections/postgres-scale.ts')).postgresScale,
  },
  beside: {
    title: 'Side by side',
    load: async () => (await import('./sections/beside.ts')).beside,
  },
  growth: {
    title: 'As a workspace grows',
    load: async () => (await import('./sections/growth.ts')).growth,
  },
  cache: {
    title: 'The cache',
    load: async () => (await import('./sections/cache.ts')).cache,
    nodeOptions: ['--max-old-space-size=8192'],
  },
  sqlite: {
    title: 'SQLite',
    load: async () => (await import('./sections/sqlite.ts')).sqlite,
  },
  http: {
    title: 'HTTP',
    load: async () => (await import('./sections/http.ts')).http,
  },
  'http-postgres': {
    title: 'HTTP on PostgreSQL',
    load: async () => (await import('./sections/http-postgres.ts')).httpPostgres,
  },
  management: {
    title: 'Creation and listing',
    load: async () => (await import('./sections/management.ts')).management,
  },
  tab: {
    title: 'The settings tab',
    load: async () => (await import('./sections/tab.ts')).tab,
  },
  package: {
    title: 'Size and start',
    load: async () => (await import('./sections/package.ts')).packageCost,
  },
}
