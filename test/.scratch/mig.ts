import pg from 'pg'
import { startPostgres } from '../support/postgres-server.ts'
import { namesOf } from '../../adapters/storage/postgres/names.ts'
import { migrationScript, grantScript } from '../../adapters/storage/postgres/schema/script.ts'
const s = await startPostgres()
const pool = new pg.Pool({ connectionString: s.url(await s.createDatabase()) })
const n = namesOf({})
try {
for (const q of [migrationScript(n), migrationScript(n), 'create role app', grantScript(n,'app'), migrationScript(namesOf({schema:'public'}))]) { const t=Date.now(); await pool.query(q); console.log('ok', Date.now()-t) }
await pool.query(`set role app`)
} catch (e) { console.log(e) }
const rec = {hash:'ab'.repeat(32), id:'k1', workspaceId:'w', name:'n', environment:'live', scopes:['b','a"'], prefix:'svc_live_abc', creator:{id:'c',name:'d'}, createdAtMs: 5, lastUsedAtMs:null, uses:0, revokedAtMs:null, replaces:null, replacedBy:null}
const ev = (id: string) => ({id, type:'api_key.created', atMs:1, workspaceId:'w', actor:{id:'a',name:'b'}, keyId:'k1', data:{name:'x'}})
const call = async (f: string, p: unknown) => console.log(f, JSON.stringify((await pool.query(`select miftah.${f}($1::text::jsonb)::text as a`, [JSON.stringify(p)])).rows[0].a))
await call('insert_key', {record: rec, activeLimit: 1, event: ev('e1')})
await call('insert_key', {record: rec, activeLimit: 1, event: ev('e1')})
await call('insert_key', {record: {...rec, id:'k2', hash:'cd'.repeat(32)}, activeLimit: 1, event: ev('e2')})
await call('rotate_key', {workspaceId:'w', id:'k1', revokedAtMs: 9, event: ev('e3'), replacement: {...rec, id:'k3', hash:'ef'.repeat(32)}})
await call('revoke_key', {workspaceId:'w', id:'k3', revokedAtMs: 9, event: ev('e4')})
await call('revoke_key', {workspaceId:'w', id:'k3', revokedAtMs: 9, event: ev('e4'), isRepeat: true})
await call('claim_events', {relay:'w', nowMs: 0, leaseMs: 9, limit: 2})
await pool.end(); await s.dispose()
