import { readFileSync } from 'node:fs'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { secretPattern } from '../../src/redact/index.ts'
import { mintSecret } from '../../src/secret/mint.ts'

const folder = new URL('../../docs/secret-scanning/', import.meta.url)
const text = (file: string) => readFileSync(new URL(file, folder), 'utf8')

interface Rule {
  readonly regex: string
  readonly keywords: readonly string[]
  readonly entropy: number
}

/** The one rule of the file. It is read line by line; a line of another shape is an error. */
function gitleaks(toml: string): Rule {
  const found = new Map<string, string>()
  for (const line of lines(toml)) {
    const [, name, value] = /^(\w+) = (.+)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) found.set(name, value)
    else if (!/^\[{1,2}\w+\]{1,2}$/.test(line)) throw new Error(`not understood: ${line}`)
  }
  const regex = /^'''(.*)'''$/.exec(found.get('regex') ?? '')?.[1] ?? ''
  const keywords: string[] = JSON.parse(found.get('keywords') ?? '')
  return { regex, keywords, entropy: Number(found.get('entropy')) }
}

function trufflehog(yaml: string): Rule {
  const rest = lines(yaml)
  const value = (pattern: RegExp) => rest.flatMap((line) => pattern.exec(line)?.[1] ?? [])
  expect(rest.filter((line) => /^ {2}- name: [\w-]+$/.test(line))).toHaveLength(1)
  const [regex = '', ...more] = value(/^ {6}secret: '([^']*)'$/)
  expect(more).toEqual([])
  return {
    regex,
    keywords: value(/^ {6}- (\w+)$/),
    entropy: Number(value(/^ {4}entropy: (.+)$/)[0]),
  }
}

function lines(file: string): string[] {
  return file.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
}

/** In bits per character (Shannon), as both scanners reckon it. */
function entropyOf(found: string): number {
  const counts = new Map<string, number>()
  for (const char of found) counts.set(char, (counts.get(char) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / found.length)
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}

/** What the scanner reports: both ask for a keyword, whatever its case, before the expression, which is one of RE2. */
function scan({ regex, keywords, entropy }: Rule, content: string): string[] {
  const lower = content.toLowerCase()
  if (!keywords.some((keyword) => lower.includes(keyword))) return []
  return [...RE2JS.compile(regex).matchAll(content)]
    .map((match) => match[1] ?? match[0])
    .filter((found) => entropyOf(found) > entropy)
}

const rules = [
  { name: 'gitleaks', rule: gitleaks(text('gitleaks.toml')) },
  { name: 'trufflehog', rule: trufflehog(text('trufflehog.yaml')) },
]
const both = (['live', 'test'] as const).flatMap((environment) =>
  Array.from({ length: 500 }, () => mintSecret('svc', environment)),
)
const [secret = ''] = both

describe.each(rules)('the rule for $name', ({ rule }) => {
  test('is the pattern of the core', () => {
    expect(rule.regex.replace(/^\((.*)\)$/, '$1')).toBe(secretPattern().source)
  })

  test('finds every secret, and as often as it stands there', () => {
    expect(both.filter((found) => scan(rule, found)[0] !== found)).toEqual([])
    const file = both.map((found, at) => `KEY_${at}="${found}"; // المفتاح${found}،`).join('\n')
    expect(scan(rule, file)).toEqual(both.flatMap((found) => [found, found]))
    expect(Math.min(...both.map(entropyOf))).toBeGreaterThan(3.5)
  })

  test.each([
    ['a placeholder', `svc_live_${'x'.repeat(46)}`],
    ['zeros', `svc_test_${'0'.repeat(46)}`],
    ['a prefix', `${secret.slice(0, 12)}…`],
    ["another product's key", `sk_live_${'a1B'.repeat(8)}`],
  ])('does not find %s', (_name, near) => {
    expect(scan(rule, `key = "${near}"`)).toEqual([])
  })
})
