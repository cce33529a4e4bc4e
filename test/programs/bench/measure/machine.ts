import { existsSync, readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'

/** What the figures were taken on, line by line. */
export function machine(): readonly (readonly [string, string])[] {
  const processors = cpus()
  return [
    ['processor', `${processors[0]?.model ?? 'unknown'}, ${processors.length} cores seen`],
    ['memory', `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ['system', `${type()} ${release()}${distribution()}`],
    ['Node', `${process.version}, V8 ${process.versions.v8}, OpenSSL ${process.versions.openssl}`],
  ]
}

function distribution(): string {
  const file = '/etc/os-release'
  if (!existsSync(file)) return ''
  const name = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync(file, 'utf8'))?.[1]
  return name === undefined ? '' : `, ${name}`
}
