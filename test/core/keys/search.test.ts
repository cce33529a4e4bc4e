import { describe, expect, test } from 'vitest'
import { sampleRecord } from '../../../adapters/storage/testing/storage-contract.ts'
import { isFound } from '../../../src/keys/read-page.ts'
import { folded } from '../../../src/model/folded.ts'

describe('these are searched as one', () => {
  test.each([
    ['case', 'CRM Sync', 'crm sync'],
    ['accents', 'Café Zürich', 'CAFE ZURICH'],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['sharp s', 'Straße', 'STRASSE'],
    ['sigma at the end', 'ΟΔΟΣ', 'οδος'],
    ['alef with hamza, madda and wasla', 'أحمد إحسان آمنة ٱلنور', 'احمد احسان امنة النور'],
    ['alef maksura and ya', 'مصطفى على', 'مصطفي علي'],
    ['ta marbuta and ha', 'نورة', 'نوره'],
    ['hamza on waw and ya', 'مسؤول رئيس', 'مسوول رييس'],
    ['short vowels', 'مُفْتَاحٌ', 'مفتاح'],
    ['tatweel', 'مفـــتاح', 'مفتاح'],
    ['Arabic and Persian digits', 'مفتاح ٢٠٢٦ ۲۰۲۶', 'مفتاح 2026 2026'],
    ['Persian ya and kaf', 'کلید علی', 'كليد علي'],
    ['full-width letters', 'ＣＲＭ', 'crm'],
    ['ligatures', 'ﷲ ﬁn', 'الله fin'],
    ['joiners and marks of direction', 'می\u200cشود \u200fa', 'ميشود a'],
    ['spaces', '  a\u00a0 \t b ', 'a b'],
  ])('%s', (_, one, other) => {
    expect(folded(one)).toBe(folded(other))
  })

  test('and nothing more', () => {
    const words = ['ا', 'ب', 'ه', 'ح', 'ي', 'و', 'ء', '1', '2', 'a', 'b', '.', '-', '%', '_']
    expect(new Set(words.map(folded)).size).toBe(words.length)
  })

  test('folding twice is folding once', () => {
    const text = 'إِنْشَاءُ ﷺ Straße ΟΔΟΣ ٣ İı'
    expect(folded(folded(text))).toBe(folded(text))
  })
})

describe('a key is found', () => {
  const key = sampleRecord({
    name: 'مزامنة CRM',
    creator: { id: 'u_9', name: 'نورة العتيبي' },
    scopes: ['contacts.read', 'deals.write'],
  })
  test.each(['crm', 'مزامنه', 'نوره', 'العتيبى', 'contacts', 'deals.write', 'crm نوره deals'])(
    'by %s',
    (search) => expect(isFound(key, folded(search))).toBe(true),
  )
  test.each(['erp', 'u_9', 'crm erp', 'crmنوره', 'key_', 'svc_', '.*'])('not by %s', (search) => {
    expect(isFound(key, folded(search))).toBe(false)
  })
})
