import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isAvailable } from '../support/available.ts'
import { freePort, isListening } from '../support/free-port.ts'
import { ROOT } from './sources.ts'

describe('tests that need a server', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('run where it is there, and are skipped where it is not', () => {
    vi.stubEnv('REQUIRE_SERVERS', undefined)
    expect(isAvailable('A server', true, 'start it')).toBe(true)
    expect(isAvailable('A server', false, 'start it')).toBe(false)
  })

  test('fail without it where servers are required', () => {
    vi.stubEnv('REQUIRE_SERVERS', '1')
    expect(isAvailable('A server', true, 'start it')).toBe(true)
    expect(() => isAvailable('A server', false, 'start it')).toThrow(
      'A server is missing: start it',
    )
  })

  test('never share a port, also when they ask at once', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort))
    expect(new Set(ports).size).toBe(200)
  })
})

describe('.ci/run', () => {
  /** The servers that the tests see; in place of npm, a program prints them. */
  function serversWith(env: Readonly<Record<string, string>>) {
    const folder = mkdtempSync(join(tmpdir(), 'miftah-ci-'))
    const npm = join(folder, 'npm')
    writeFileSync(npm, '#!/bin/sh\necho "$1 $MIFTAH_TEST_MYSQL_URL $MIFTAH_TEST_REDIS_URL"\n')
    chmodSync(npm, 0o755)
    const { stdout } = spawnSync('bash', [join(ROOT, '.ci/run')], {
      env: { PATH: `${folder}${delimiter}${process.env['PATH']}`, ...env },
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    return /^test (.*)$/m.exec(stdout)?.[1]
  }

  test('uses the servers of the machine in CI, and nowhere else', async () => {
    const mysql = (await isListening(3306)) ? 'mysql://root@127.0.0.1:3306' : ''
    const redis = (await isListening(6379)) ? 'redis://127.0.0.1:6379' : ''
    expect(serversWith({})).toBe(' ')
    expect(serversWith({ CI: 'true' })).toBe(`${mysql} ${redis}`)
  })

  test('leaves those that are named', () => {
    const named = { MIFTAH_TEST_MYSQL_URL: 'mysql://a/', MIFTAH_TEST_REDIS_URL: 'redis://b/' }
    expect(serversWith({ ...named, CI: 'true' })).toBe('mysql://a/ redis://b/')
  })
})
