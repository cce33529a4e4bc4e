import { expect, test } from 'vitest'
import { defaultCatalogue } from '../../../src/index.ts'

/** Group, scope, English, Arabic: the words as they were specified, typed out once more. */
const SPECIFIED = `
messages|Messages|الرسائل
  messages.send|Send messages|إرسال الرسائل
  messages.read|Read messages|قراءة الرسائل
  templates.read|Read templates|قراءة قوالب الرسائل
contacts|Contacts|جهات الاتصال
  contacts.read|Read contacts|قراءة جهات الاتصال
  contacts.write|Add/edit contacts|إضافة جهات الاتصال وتعديلها
campaigns|Campaigns|الحملات
  campaigns.read|Read campaigns|قراءة الحملات
  campaigns.write|Create/launch campaigns|إنشاء الحملات وإطلاقها
vehicles|Vehicles|المركبات
  vehicles.read|Read vehicles|قراءة بيانات المركبات
  vehicles.write|Add/edit vehicles|إضافة المركبات وتعديلها
properties|Properties|العقارات
  properties.read|Read properties|قراءة بيانات العقارات
  properties.write|Add/edit properties|إضافة العقارات وتعديلها
bookings|Bookings|الحجوزات
  bookings.read|Read bookings|قراءة الحجوزات
  bookings.write|Create bookings|إنشاء الحجوزات
orders|Orders|طلبات الشراء
  orders.read|Read orders|قراءة طلبات الشراء
  orders.write|Update orders|تحديث طلبات الشراء
tickets|Support tickets|تذاكر الدعم
  tickets.read|Read tickets|قراءة تذاكر الدعم
  tickets.write|Create/update tickets|إنشاء تذاكر الدعم وتحديثها
leads|Leads|العملاء المحتملون
  leads.read|Read leads|قراءة بيانات العملاء المحتملين
  leads.write|Create/update leads|إضافة العملاء المحتملين وتحديث بياناتهم
requests|Central requests|الطلبات المركزية
  requests.read|Read central requests and their stages|قراءة الطلبات المركزية ومراحلها
  requests.write|Create/update requests and move their stage|إنشاء الطلبات المركزية وتحديثها ونقلها بين المراحل
advanced|Advanced|صلاحيات متقدمة
  flows.read|Read bot flows|قراءة مسارات البوت
  webhooks.read|Read webhooks|قراءة Webhooks
  webhooks.write|Manage webhooks|إدارة Webhooks
`

test('24 scopes in 11 groups, word for word and in order', () => {
  const lines = defaultCatalogue.groups.flatMap(({ id, label, scopes }) => [
    [id, label['en'], label['ar']].join('|'),
    ...scopes.map((entry) => `  ${[entry.scope, entry.label['en'], entry.label['ar']].join('|')}`),
  ])
  expect(lines.join('\n')).toBe(SPECIFIED.trim())
  expect(lines).toHaveLength(11 + 24)
  const inGroups = defaultCatalogue.groups.flatMap(({ scopes }) => scopes.map(({ scope }) => scope))
  expect(defaultCatalogue.scopes).toEqual(inGroups)
  // No invisible character.
  expect(SPECIFIED).not.toMatch(/[\p{Cf}\p{Co}]/u)
  expect(SPECIFIED.normalize('NFC')).toBe(SPECIFIED)
})
