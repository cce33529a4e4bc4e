import { neonConfig } from '@neondatabase/serverless'

/* Leads Neon's driver to the server that stands for Neon here. */
const host = process.env.NEON_PROXY
neonConfig.wsProxy = () => host
neonConfig.fetchEndpoint = () => `http://${host}/sql`
neonConfig.useSecureWebSocket = false
neonConfig.pipelineConnect = false
