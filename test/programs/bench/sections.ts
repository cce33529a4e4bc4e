import type { Section } from './measure/result.ts'

/** How a section is run: its title, and what Node is given. */
export interface SectionEntry {
  readonly title: string
  readonly load: () => Promise<{ readonly section: Section }>
  readonly nodeOptions?: readonly string[]
}

/** The sections in the order of the report. Each runs in a process of its own. */
export const SECTIONS: Readonly<Record<string, SectionEntry>> = {
  'in-process': { title: 'In one process', load: () => import('./sections/in-process.ts') },
  counting: {
    title: 'Usage history, limits and restrictions',
    load: () => import('./sections/counting.ts'),
  },
  peers: { title: 'Peers in one process', load: () => import('./sections/peers.ts') },
  'memory-scale': {
    title: 'Memory storage by number of keys',
    load: () => import('./sections/memory-scale.ts'),
    nodeOptions: ['--max-old-space-size=12288'],
  },
  postgres: { title: 'PostgreSQL', load: () => import('./sections/postgres.ts') },
  mysql: { title: 'MySQL and MariaDB', load: () => import('./sections/mysql.ts') },
  beside: { title: 'Side by side', load: () => import('./sections/beside.ts') },
  growth: { title: 'As a workspace grows', load: () => import('./sections/growth.ts') },
  cache: {
    title: 'The cache',
    load: () => import('./sections/cache.ts'),
    nodeOptions: ['--max-old-space-size=8192'],
  },
  nodes: { title: 'A fleet of caches', load: () => import('./sections/nodes.ts') },
  bursts: { title: 'Changes at once', load: () => import('./sections/bursts.ts') },
  restart: { title: 'A restart', load: () => import('./sections/restart.ts') },
  sqlite: { title: 'SQLite', load: () => import('./sections/sqlite.ts') },
  http: { title: 'HTTP', load: () => import('./sections/http.ts') },
  'http-postgres': {
    title: 'HTTP on PostgreSQL',
    load: () => import('./sections/http-postgres.ts'),
  },
  serve: { title: 'miftah serve', load: () => import('./sections/serve.ts') },
  tab: { title: 'The settings tab', load: () => import('./sections/tab.ts') },
  package: { title: 'Size and start', load: () => import('./sections/package.ts') },
}
