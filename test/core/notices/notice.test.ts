import { describe, expect, test } from 'vitest'
import { sampleRecord } from '../../../adapters/storage/testing/storage-contract.ts'
import { noticeFor } from '../../../src/events/write-notices.ts'
import { nextNoticeAt } from '../../../src/model/status.ts'

const DAY_MS = 86_400_000
const END_MS = 30 * DAY_MS

describe('the next notice', () => {
  const lifetime = { expiresAtMs: END_MS, retiresAtMs: null, revokedAtMs: null, pausedAtMs: null }

  test.each([
    [0, 23 * DAY_MS],
    [23 * DAY_MS - 1, 23 * DAY_MS],
    [23 * DAY_MS, 29 * DAY_MS],
    [29 * DAY_MS, END_MS],
    [END_MS + DAY_MS, END_MS],
  ])('after %i is due at %i', (afterMs, dueMs) => {
    expect(nextNoticeAt(lifetime, afterMs)).toBe(dueMs)
  })

  test('of a key that retires is due when its overlap ends', () => {
    expect(nextNoticeAt({ ...lifetime, retiresAtMs: 5 }, 0)).toBe(5)
  })

  test('of a key that was revoked after its overlap is due when that ended', () => {
    expect(nextNoticeAt({ ...lifetime, retiresAtMs: 5, revokedAtMs: 5 }, 9)).toBe(5)
  })

  test('does not exist for a key without an end, or for a revoked one', () => {
    expect(nextNoticeAt({ ...lifetime, expiresAtMs: null }, 0)).toBeNull()
    expect(nextNoticeAt({ ...lifetime, revokedAtMs: 1 }, 0)).toBeNull()
    expect(nextNoticeAt({ ...lifetime, retiresAtMs: 5, revokedAtMs: 1 }, 0)).toBeNull()
  })
})

describe('a notice', () => {
  const of = (
    fields: Parameters<typeof sampleRecord>[0],
    noticeAtMs: number,
    nowMs = noticeAtMs,
  ) => {
    const { event, nextAtMs } = noticeFor(sampleRecord({ ...fields, noticeAtMs }), nowMs)
    return { nextAtMs, type: event.type, atMs: event.atMs }
  }
  const expiring = { expiresAtMs: END_MS }

  test.each([
    ['7 days before', 23 * DAY_MS, 'api_key.expiring', 29 * DAY_MS],
    ['1 day before', 29 * DAY_MS, 'api_key.expiring', END_MS],
    ['at the end', END_MS, 'api_key.expired', null],
  ])('%s tells of the expiry and names the next', (_, atMs, type, nextAtMs) => {
    expect(of(expiring, atMs)).toEqual({ atMs, type, nextAtMs })
  })

  test('that is late is about the last that has come, to the millisecond', () => {
    const dueAtMs = 23 * DAY_MS
    const second = { type: 'api_key.expiring', atMs: 29 * DAY_MS, nextAtMs: END_MS }
    expect(of(expiring, dueAtMs, 29 * DAY_MS)).toMatchObject(second)
    expect(of(expiring, dueAtMs, 29 * DAY_MS - 1)).toMatchObject({ atMs: dueAtMs })
  })

  test('of a retired key names its successor', () => {
    const retired = { ...expiring, retiresAtMs: 5, replacedBy: 'key_2' }
    const notice = noticeFor(sampleRecord({ ...retired, noticeAtMs: 5 }), 6)
    expect(notice.nextAtMs).toBeNull()
    expect(notice.event).toMatchObject({
      ...{ type: 'api_key.retired', atMs: 5, data: { replacementId: 'key_2' } },
    })
  })

  test('of a key without an end is an error of the storage', () => {
    const message = 'The storage answered with a notice for a key that has no end.'
    expect(() => of({ expiresAtMs: null }, 5)).toThrow(new TypeError(message))
    expect(() => of({ expiresAtMs: null, retiresAtMs: 5 }, 5)).toThrow(new TypeError(message))
    expect(() => of({ expiresAtMs: null, replacedBy: 'key_2' }, 5)).toThrow(new TypeError(message))
  })
})
