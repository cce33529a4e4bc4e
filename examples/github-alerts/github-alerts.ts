import { createHash, verify } from 'node:crypto'
import express from 'express'
import type { ApiKeys } from 'miftah'

const GITHUB = { id: 'github', name: 'GitHub secret scanning' }

/** The list at https://api.github.com/meta/public_keys/secret_scanning */
type PublicKeys = { public_keys: { key_identifier: string; key: string }[] }
type Alert = { token: string; type: string }

/**
 * Anybody can invent an identifier, and GitHub allows 60 requests an hour: the list is read every two minutes at
 * most.
 */
function publicKeys(fetchList: () => Promise<PublicKeys>) {
  let list: Promise<PublicKeys> = Promise.resolve({ public_keys: [] })
  let readAtMs = Number.NEGATIVE_INFINITY
  const find = async (id: string) =>
    (await list).public_keys.find(({ key_identifier }) => key_identifier === id)?.key
  return async (id: string) => {
    if ((await find(id)) === undefined && performance.now() - readAtMs > 120_000) {
      readAtMs = performance.now()
      list = fetchList().catch((error: unknown) => {
        console.error('The public keys of GitHub were not read.', error)
        return { public_keys: [] }
      })
    }
    return find(id)
  }
}

/** Revokes what was found, and says whether it was a key, as GitHub asks. */
async function revoke(keys: ApiKeys, { token, type }: Alert) {
  const found = await keys.findKeyBySecret(token)
  if (found !== null) {
    const { workspaceId, id } = found
    await keys.revokeKey({ workspaceId, id, actor: GITHUB, reason: 'leaked' })
  }
  const label = found === null ? 'false_positive' : 'true_positive'
  return { token_hash: createHash('sha256').update(token).digest('hex'), token_type: type, label }
}

/**
 * The endpoint of a partner of GitHub's secret scanning: it revokes what GitHub has found. `fetchList` gets GitHub's
 * list and throws unless the answer is 200. Mount it before `express.json()`.
 */
export function githubAlerts(keys: ApiKeys, fetchList: () => Promise<PublicKeys>): express.Router {
  const keyOf = publicKeys(fetchList)
  // The signature is over the bytes of the body.
  const raw = express.raw({ type: () => true, limit: '1mb' })
  return express.Router().post('/', raw, async (req, res) => {
    const key = await keyOf(req.get('github-public-key-identifier') ?? '')
    // GitHub may have made it after the list was read.
    if (key === undefined) return void res.sendStatus(503)
    const signature = Buffer.from(req.get('github-public-key-signature') ?? '', 'base64')
    const body: unknown = req.body
    if (!(body instanceof Buffer && verify('sha256', body, key, signature))) {
      return void res.sendStatus(403)
    }
    const alerts: Alert[] = JSON.parse(body.toString())
    // Every key is tried, whatever becomes of the others.
    const tried = await Promise.allSettled(alerts.map((alert) => revoke(keys, alert)))
    const done = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (done.length < tried.length) return void res.sendStatus(503)
    res.json(done)
  })
}
