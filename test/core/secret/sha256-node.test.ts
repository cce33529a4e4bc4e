import { expect, test, vi } from 'vitest'

test('on a Node that is too old, the import says which one is needed', async () => {
  vi.doMock('node:crypto', () => ({ hash: undefined }))
  const file = '../../../src/secret/sha256-node.ts?on-node-18'
  await expect(import(file)).rejects.toThrow('miftah needs Node 20.19 or later.')
  vi.doUnmock('node:crypto')
})
