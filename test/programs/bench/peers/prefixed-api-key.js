import prefixedApiKey from 'prefixed-api-key'

const { checkAPIKey, extractShortToken, generateAPIKey } = prefixedApiKey

/** prefixed-api-key with a Map by short token: it has no storage, scopes or counting of its own. */
export async function open() {
  const keys = new Map()
  return {
    async create() {
      const { shortToken, longTokenHash, token } = await generateAPIKey({ keyPrefix: 'bench' })
      keys.set(shortToken, { longTokenHash, scopes: ['contacts.read'] })
      return token
    },
    verify(token) {
      const key = keys.get(extractShortToken(token))
      if (key === undefined || !checkAPIKey(token, key.longTokenHash)) return false
      return key.scopes.includes('contacts.read')
    },
    stored: () => ({ keys: keys.size, used: keys.size }),
  }
}
