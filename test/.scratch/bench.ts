import pg from 'pg'
import { startPostgres } from '../support/postgres-server.ts'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { sampleRecord, sampleCreatedEvent } from '../../adapters/storage/testing/samples.ts'
const s = await startPostgres()
const pool = new pg.Pool({ connectionString: s.url(await s.createDatabase()), max: 10 })
const st = postgresStorage(pool)
await st.migrate()
const N = 10000
await pool.query(`insert into miftah.keys select 'key_'||i, sha256(i::text::bytea), 'ws_'||(i%100), i, 'CRM sync '||i, 'live', '{contacts.read,contacts.write}', 'svc_live_abc', 'u_1', 'Sami', 1767225600000, null, 0, null, null, null from generate_series(1,$1) i`, [N])
await pool.query('analyze miftah.keys')
const hashes = (await pool.query(`select encode(hash,'hex') h from miftah.keys`)).rows.map(r=>r.h)
async function run(c: number, ms: number, find: (h: string)=>unknown) {
  const end = performance.now()+ms; let n=0
  const t0=performance.now()
  await Promise.all(Array.from({length:c}, async (_, w) => { let i=w*131; while(performance.now()<end){ const r = await find(hashes[(i+=7919)%N]!) ; if(!r) throw 1; n++ } }))
  return Math.round(n/((performance.now()-t0)/1000))
}
const plain = async (h: string) => (await pool.query({name:'p', text:'select * from miftah.keys where hash=$1', values:[Buffer.from(h,'hex')]})).rows[0]
for (let r=0;r<2;r++) for (const c of [1,16,64]) { console.log(c, 'plain', await run(c, 1200, plain), 'ours', await run(c, 1200, st.findByHash)) }
await pool.end(); await s.dispose()
