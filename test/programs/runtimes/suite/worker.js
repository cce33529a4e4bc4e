import { rejection, runGroup, same } from './checks.js'
import { memoryContract } from './contracts.js'
import { host, keys } from './host.js'
import { headers, web } from './web.js'

/** As long as this holds, miftah/client cannot run here: it follows no redirect. */
const ABSENCES = {
  async 'a request that refuses redirects'() {
    const make = async () => new Request('https://host.example', { redirect: 'error' })
    same((await rejection(make())).name, 'TypeError')
  },
}

/** The suite as a test of workerd, and the host as its server. */
const worker = {
  async fetch(request, _env, context) {
    const response = await host(request)
    // A timer ends with the request that set it, so each request writes the uses that it counted.
    context.waitUntil(keys.flush())
    return response
  },
  async test() {
    const absences = await runGroup('what this runtime lacks', Object.entries(ABSENCES))
    const results = [await headers(), await web(), absences, await memoryContract()]
    console.log(`results ${JSON.stringify(results)}`)
  },
}
export default worker
