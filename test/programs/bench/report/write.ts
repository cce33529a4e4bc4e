import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable, writeMarked } from '../../../support/marked.ts'
import { ROOT } from '../../../support/package/npm.ts'
import { machine } from '../measure/machine.ts'
import type { SectionResult, Table, Target } from '../measure/result.ts'
import { SECTIONS } from '../sections.ts'
import { svgOf } from './chart.ts'

const IMAGES = join(ROOT, 'docs/images')

/** Writes the figures of docs/benchmarks.md and its plots from the results that there are. */
export function writeReport(results: ReadonlyMap<string, SectionResult>): void {
  mkdirSync(IMAGES, { recursive: true })
  const charts = [...results.values()].flatMap((result) => result.charts ?? [])
  for (const chart of charts) writeFileSync(join(IMAGES, chart.file), svgOf(chart))
  writeMarked('docs/benchmarks.md', 'npm run bench', page(results).join('\n\n'))
}

function page(results: ReadonlyMap<string, SectionResult>): readonly string[] {
  const targets = [...results.values()].flatMap((result) => result.targets)
  return [
    '## Targets',
    targetTable(targets),
    ...[...results].flatMap(([name, result]) => sectionOf(name, result)),
    '## The machine',
    gridOf(['', ''], [...machine(), ...peerVersions()]),
  ]
}

function sectionOf(name: string, { tables, charts = [] }: SectionResult): readonly string[] {
  return [
    `## ${SECTIONS[name]?.title ?? name}`,
    ...charts.map(({ title, file }) => `![${title}](images/${file})`),
    ...tables.flatMap(tableOf),
  ]
}

function tableOf({ title, head, rows, note }: Table): readonly string[] {
  return [`**${title}**`, gridOf(head, rows), ...(note === undefined ? [] : [note])]
}

function targetTable(targets: readonly Target[]): string {
  return gridOf(
    ['measure', 'target', 'measured', ''],
    targets.map(({ measure, target, figure, met }) => [
      measure,
      target,
      figure,
      met ? 'met' : '**missed**',
    ]),
  )
}

function gridOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable(head, rows, ['---', ...head.slice(1).map(() => '---:')])
}

/** The peers and frameworks as installed. */
function peerVersions(): readonly (readonly [string, string])[] {
  const versions = ['express', 'fastify', 'pg', '@photostructure/sqlite'].map((name) =>
    versionOf('node_modules', name),
  )
  const peers = [
    ...['@better-auth/api-key', 'better-auth', 'prefixed-api-key'],
    ...['passport-headerapikey', '@fastify/bearer-auth'],
  ].map((name) => versionOf('test/programs/bench/peers/node_modules', name))
  return [
    ['beneath', versions.join(', ')],
    ['peers', peers.join(', ')],
  ]
}

function versionOf(folder: string, name: string): string {
  const file = join(ROOT, folder, name, 'package.json')
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'))
  return `${name} ${version}`
}
