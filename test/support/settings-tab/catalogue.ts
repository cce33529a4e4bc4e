import type { ScopesAnswer, WireScopeGroup } from '../../../adapters/client/index.ts'

/** The catalogue of the tests: the 24 scopes in 11 groups with their labels, written out by hand. */
const rows: readonly string[] = [
  '# messages | الرسائل | Messages',
  'messages.send | إرسال الرسائل | Send messages',
  'messages.read | قراءة الرسائل | Read messages',
  'templates.read | قراءة قوالب الرسائل | Read templates',
  '# contacts | جهات الاتصال | Contacts',
  'contacts.read | قراءة جهات الاتصال | Read contacts',
  'contacts.write | إضافة جهات الاتصال وتعديلها | Add/edit contacts',
  '# campaigns | الحملات | Campaigns',
  'campaigns.read | قراءة الحملات | Read campaigns',
  'campaigns.write | إنشاء الحملات وإطلاقها | Create/launch campaigns',
  '# vehicles | المركبات | Vehicles',
  'vehicles.read | قراءة بيانات المركبات | Read vehicles',
  'vehicles.write | إضافة المركبات وتعديلها | Add/edit vehicles',
  '# properties | العقارات | Properties',
  'properties.read | قراءة بيانات العقارات | Read properties',
  'properties.write | إضافة العقارات وتعديلها | Add/edit properties',
  '# bookings | الحجوزات | Bookings',
  'bookings.read | قراءة الحجوزات | Read bookings',
  'bookings.write | إنشاء الحجوزات | Create bookings',
  '# orders | طلبات الشراء | Orders',
  'orders.read | قراءة طلبات الشراء | Read orders',
  'orders.write | تحديث طلبات الشراء | Update orders',
  '# tickets | تذاكر الدعم | Support tickets',
  'tickets.read | قراءة تذاكر الدعم | Read tickets',
  'tickets.write | إنشاء تذاكر الدعم وتحديثها | Create/update tickets',
  '# leads | العملاء المحتملون | Leads',
  'leads.read | قراءة بيانات العملاء المحتملين | Read leads',
  'leads.write | إضافة العملاء المحتملين وتحديث بياناتهم | Create/update leads',
  '# requests | الطلبات المركزية | Central requests',
  'requests.read | قراءة الطلبات المركزية ومراحلها | Read central requests and their stages',
  'requests.write | إنشاء الطلبات المركزية وتحديثها ونقلها بين المراحل | Create/update requests and move their stage',
  '# advanced | صلاحيات متقدمة | Advanced',
  'flows.read | قراءة مسارات البوت | Read bot flows',
  'webhooks.read | قراءة خطافات الويب | Read webhooks',
  'webhooks.write | إدارة خطافات الويب | Manage webhooks',
]

/** What `GET /scopes` answers in the tests. */
export const catalogue: ScopesAnswer = { groups: groupsOf(rows) }

/** Every scope of the catalogue, in its order. */
export const allScopes: readonly string[] = catalogue.groups.flatMap(({ scopes }) =>
  scopes.map(({ scope }) => scope),
)

function groupsOf(lines: readonly string[]): readonly WireScopeGroup[] {
  const groups: { id: string; label: Label; scopes: { scope: string; label: Label }[] }[] = []
  for (const line of lines) {
    const [code = '', ar = '', en = ''] = line.split(' | ')
    if (code.startsWith('# ')) groups.push({ id: code.slice(2), label: { ar, en }, scopes: [] })
    else groups.at(-1)?.scopes.push({ scope: code, label: { ar, en } })
  }
  return groups
}

interface Label {
  readonly en: string
  readonly [language: string]: string
}
