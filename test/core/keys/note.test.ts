import { expect, test } from 'vitest'
import { ACTOR, keyInput, openWorld, refusal, WORKSPACE } from '../../support/world.ts'

test('a note is trimmed, brought to NFC, changed and removed, and a rotation copies it', async () => {
  const { keys } = openWorld()
  const { key } = await keys.createKey(keyInput({ note: ' Cafe\u0301 ' }))
  expect(key.note).toBe('Café')
  const action = { workspaceId: WORKSPACE, id: key.id, actor: ACTOR }
  const rotated = await keys.rotateKey(action)
  expect(rotated.key.note).toBe('Café')
  const change = (note: string | null, version: number) =>
    keys.updateKey({ ...action, id: rotated.key.id, version, change: { note } })
  expect((await change('for the CRM', 1)).note).toBe('for the CRM')
  expect((await change('  ', 2)).note).toBeNull()
  for (const none of [null, '', undefined]) {
    expect((await keys.createKey(keyInput({ note: none }))).key.note).toBeNull()
  }
})

test.each([
  ['x'.repeat(201), 'too_long'],
  ['a\u202Eb', 'forbidden_character'],
  [7, 'invalid_type'],
])('the note %j is refused', async (note, code) => {
  const { issues } = await refusal(openWorld().keys.createKey(keyInput({ note })))
  expect(issues).toMatchObject([{ path: ['note'], code }])
})
