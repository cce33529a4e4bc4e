import { expect, test } from 'vitest'
import { outlives, outlivesRequests, staysAwake } from '../../../src/lib/runtime.ts'

const node = { versions: { node: '24.0.0' } }
const workers = { userAgent: 'Cloudflare-Workers' }

test.each([
  ['Node', { process: node, navigator: { userAgent: 'Node.js/24' } }, true],
  ['Node 20, which has no navigator', { process: node }, true],
  ['a Worker', { navigator: workers }, false],
  ['a Worker with the globals of Node', { process: node, navigator: workers }, false],
  ['a process of something else', { process: { versions: {} } }, false],
  ['a process without versions', { process: {} }, false],
  ['nothing that is known', {}, false],
])('%s', (_, globals, expected) => {
  expect(outlives(globals)).toBe(expected)
})

test('the runtime of this test is a process', () => {
  expect(outlivesRequests).toBe(true)
})

test.each([
  ['Node', { process: node }, true],
  ['Node with an environment', { process: { ...node, env: {} } }, true],
  ['AWS Lambda', { process: { ...node, env: { AWS_LAMBDA_FUNCTION_NAME: 'f' } } }, false],
  ['a Worker', { navigator: workers }, false],
])('%s stays awake between requests: %s', (_, globals, expected) => {
  expect(staysAwake(globals)).toBe(expected)
})
