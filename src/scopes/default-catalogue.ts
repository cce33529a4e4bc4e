import { defineScopes, type Labels, type ScopeOf } from './catalogue.ts'

const READ = { en: 'Read', ar: 'قراءة' }
const EDIT = { en: 'Add and edit', ar: 'إضافة وتعديل' }
const CREATE = { en: 'Create', ar: 'إنشاء' }
const BOTH = { en: 'Create and update', ar: 'إنشاء وتحديث' }

/**
 * The catalogue that is used when a host names none: the 24 scopes of one product, a platform for messaging
 * and sales, in 11 groups, labelled in English and Arabic. Most hosts define their own with {@link
 * defineScopes}.
 */
export const defaultCatalogue = defineScopes([
  group('messages', 'Messages', 'الرسائل', [
    entry('messages.send', 'Send messages', 'إرسال الرسائل', { en: 'Send', ar: 'إرسال' }),
    entry('messages.read', 'Read messages', 'قراءة الرسائل', READ),
    entry('templates.read', 'Read templates', 'قراءة قوالب الرسائل'),
  ]),
  group('contacts', 'Contacts', 'جهات الاتصال', [
    entry('contacts.read', 'Read contacts', 'قراءة جهات الاتصال', READ),
    entry('contacts.write', 'Add/edit contacts', 'إضافة جهات الاتصال وتعديلها', EDIT),
  ]),
  group('campaigns', 'Campaigns', 'الحملات', [
    entry('campaigns.read', 'Read campaigns', 'قراءة الحملات', READ),
    entry('campaigns.write', 'Create/launch campaigns', 'إنشاء الحملات وإطلاقها', CREATE),
  ]),
  group('vehicles', 'Vehicles', 'المركبات', [
    entry('vehicles.read', 'Read vehicles', 'قراءة بيانات المركبات', READ),
    entry('vehicles.write', 'Add/edit vehicles', 'إضافة المركبات وتعديلها', EDIT),
  ]),
  group('properties', 'Properties', 'العقارات', [
    entry('properties.read', 'Read properties', 'قراءة بيانات العقارات', READ),
    entry('properties.write', 'Add/edit properties', 'إضافة العقارات وتعديلها', EDIT),
  ]),
  group('bookings', 'Bookings', 'الحجوزات', [
    entry('bookings.read', 'Read bookings', 'قراءة الحجوزات', READ),
    entry('bookings.write', 'Create bookings', 'إنشاء الحجوزات', CREATE),
  ]),
  group('orders', 'Orders', 'طلبات الشراء', [
    entry('orders.read', 'Read orders', 'قراءة طلبات الشراء', READ),
    entry('orders.write', 'Update orders', 'تحديث طلبات الشراء', { en: 'Update', ar: 'تحديث' }),
  ]),
  group('tickets', 'Support tickets', 'تذاكر الدعم', [
    entry('tickets.read', 'Read tickets', 'قراءة تذاكر الدعم', READ),
    entry('tickets.write', 'Create/update tickets', 'إنشاء تذاكر الدعم وتحديثها', BOTH),
  ]),
  group('leads', 'Leads', 'العملاء المحتملون', [
    entry('leads.read', 'Read leads', 'قراءة بيانات العملاء المحتملين', READ),
    entry('leads.write', 'Create/update leads', 'إضافة العملاء المحتملين وتحديث بياناتهم', BOTH),
  ]),
  group('requests', 'Central requests', 'الطلبات المركزية', [
    entry(
      'requests.read',
      'Read central requests and their stages',
      'قراءة الطلبات المركزية ومراحلها',
      READ,
    ),
    entry(
      'requests.write',
      'Create/update requests and move their stage',
      'إنشاء الطلبات المركزية وتحديثها ونقلها بين المراحل',
      BOTH,
    ),
  ]),
  group('advanced', 'Advanced', 'صلاحيات متقدمة', [
    entry('flows.read', 'Read bot flows', 'قراءة مسارات البوت'),
    entry('webhooks.read', 'Read webhooks', 'قراءة Webhooks'),
    entry('webhooks.write', 'Manage webhooks', 'إدارة Webhooks'),
  ]),
])

/** The 24 scope codes of {@link defaultCatalogue}. */
export type DefaultScope = ScopeOf<typeof defaultCatalogue>

function entry<const S extends string>(scope: S, en: string, ar: string, short?: Labels) {
  return { scope, label: { en, ar }, ...(short && { short }) }
}

type Entry<S extends string> = ReturnType<typeof entry<S>>

function group<S extends string>(id: string, en: string, ar: string, scopes: Entry<S>[]) {
  return { id, label: { en, ar }, scopes }
}
