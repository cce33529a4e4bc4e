import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { introspectKeys } from '../../../adapters/http/fetch.ts'
import { defineResources } from '../../../src/index.ts'
import { isAvailable } from '../../support/available.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { serveFetch } from '../../support/http/serve-fetch.ts'
import { keyInput } from '../../support/world.ts'

/* Introspection through libraries and languages that are not ours, as docs/gateways.md shows. */

const world = testKeys({
  resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
})
const CREDENTIAL = `Basic ${btoa('billing:aLongRandomSecret')}`
const secrets: Record<string, string> = {}
let host: RunningHost
let url: string

beforeAll(async () => {
  const authorize = (request: Request) =>
    request.headers.get('authorization') === CREDENTIAL ? ('any' as const) : null
  host = await listen(serveFetch(introspectKeys(world.keys, { authorize, onError: () => {} })))
  url = `http://127.0.0.1:${host.port}/introspect`
  for (const [name, fields] of Object.entries({
    good: {},
    other: { scopes: ['messages.send'] },
    revoked: {},
    restricted: { resources: { project: ['p_1'] } },
  })) {
    const { key, secret } = await world.keys.createKey(keyInput({ name, ...fields }))
    secrets[name] = secret
    if (name !== 'revoked') continue
    await world.keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: USER })
  }
})
afterAll(() => host.close())
beforeEach(() => {
  world.outage = false
})

describe('oauth4webapi', () => {
  const introspect = async (token: string, password = 'aLongRandomSecret') => {
    const server = { issuer: 'https://a.example', introspection_endpoint: url }
    const client = { client_id: 'billing' }
    const response = await oauth.introspectionRequest(
      server,
      client,
      oauth.ClientSecretBasic(password),
      token,
      { [oauth.allowInsecureRequests]: true },
    )
    return oauth.processIntrospectionResponse(server, client, response)
  }

  test('an active key, with its members', async () => {
    expect(await introspect(secrets['good'] ?? '')).toMatchObject({
      active: true,
      scope: 'contacts.read',
      sub: 'ws_1',
      token_type: 'Bearer',
    })
  })

  test('every other key is inactive', async () => {
    for (const name of ['revoked', 'restricted', 'unknown']) {
      expect(await introspect(secrets[name] ?? 'svc_live_unknown')).toEqual({ active: false })
    }
  })

  test('a client that is not known, and an outage, are errors', async () => {
    const wrong = introspect(secrets['good'] ?? '', 'wrong')
    await expect(wrong).rejects.toMatchObject({ status: 401 })
    world.outage = true
    const error = await introspect(secrets['good'] ?? '').catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(oauth.OperationProcessingError)
    expect(Object(error).cause.status).toBe(503)
  })
})

const GUIDE = readFileSync('docs/gateways.md', 'utf8')

/** What a program prints as JSON about the keys of these names. */
function judged(command: readonly string[], names: readonly string[]): Promise<unknown> {
  const [program = '', ...words] = command
  const tokens = names.map((name) => secrets[name] ?? name)
  const own = { INTROSPECTION_URL: url, INTROSPECTION_TOKEN: 'aLongRandomSecret' }
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, ...tokens], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...own },
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', () => {
      try {
        resolve(JSON.parse(text))
      } catch (error) {
        reject(error)
      }
    })
  })
}

const PYTHON = '/usr/bin/python3'
const hasAuthlib = isAvailable(
  'Authlib',
  spawnSync(PYTHON, ['-c', 'import authlib, requests']).status === 0,
  'apt-get install python3-authlib python3-requests',
)

describe.skipIf(!hasAuthlib)('Authlib', () => {
  /** The validator of the guide, driven as a ResourceProtector of Authlib drives it. */
  const PROGRAM = `
import json, sys
${/^```python\n([\s\S]*?)^```/m.exec(GUIDE)?.[1]}
from authlib.oauth2 import ResourceProtector, OAuth2Error

class Request:
    def __init__(self, secret):
        self.headers = {"Authorization": "Bearer " + secret}
    method, uri, data = "GET", "https://service.example/contacts", {}

protector = ResourceProtector()
protector.register_token_validator(KeyValidator())
outcomes = []
for secret in sys.argv[1:]:
    try:
        token = protector.validate_request(["contacts.read"], Request(secret))
        outcomes.append([200, token["sub"]])
    except OAuth2Error as error:
        outcomes.append([error.status_code, error.error])
    except requests.HTTPError as error:
        outcomes.append([503, error.response.status_code])
print(json.dumps(outcomes))
`

  const validate = (...names: readonly string[]) => judged([PYTHON, '-c', PROGRAM], names)

  test('accepts, refuses what is inactive, and knows a missing scope', async () => {
    const inactive = [401, 'invalid_token']
    const outcomes = await validate('good', 'other', 'revoked', 'restricted', 'unknown')
    const lacking = [403, 'insufficient_scope']
    expect(outcomes).toEqual([[200, 'ws_1'], lacking, inactive, inactive, inactive])
    // An outage is no verdict.
    world.outage = true
    expect(await validate('good')).toEqual([[503, 503]])
  })
})

const hasGo = isAvailable(
  'Go',
  spawnSync('go', ['version']).status === 0,
  'apt-get install golang-go',
)

describe.skipIf(!hasGo)('Go', () => {
  /** A service with the middleware of the guide, and a client for each key. */
  const PROGRAM = `package main

import (
  "context"
  "encoding/json"
  "fmt"
  "net/http"
  "net/http/httptest"
  "net/url"
  "os"
  "strings"
  "time"
)

${readFileSync('docs/gateways/introspect.go', 'utf8')}
func main() {
  contacts := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) })
  service := httptest.NewServer(requireScope("contacts.read", contacts))
  statuses := []int{}
  for _, secret := range os.Args[1:] {
    req, _ := http.NewRequest("GET", service.URL, nil)
    if secret != "" {
      req.Header.Set("Authorization", "Bearer "+secret)
    }
    res, err := http.DefaultClient.Do(req)
    if err != nil {
      panic(err)
    }
    statuses = append(statuses, res.StatusCode)
  }
  json.NewEncoder(os.Stdout).Encode(statuses)
}
`
  let folder: string
  const judge = (...names: readonly string[]) => judged([join(folder, 'service')], names)

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'miftah-go-'))
    writeFileSync(join(folder, 'main.go'), PROGRAM)
    const options = { cwd: folder, encoding: 'utf8' as const }
    const { status, stderr } = spawnSync('go', ['build', '-o', 'service', 'main.go'], options)
    if (status !== 0) throw new Error(stderr)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  test('accepts, refuses what is inactive, and knows a missing scope', async () => {
    const names = ['good', 'other', 'revoked', 'restricted', 'unknown', '']
    expect(await judge(...names)).toEqual([200, 403, 401, 401, 401, 401])
    world.outage = true
    expect(await judge('good')).toEqual([503])
  })
})
