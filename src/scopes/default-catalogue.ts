import { defineScopes, type ScopeOf } from './catalogue.ts'

/**
 * The catalogue that is used when a host names none: the 24 scopes of one product, a platform for
 * messaging and sales, in 11 groups, labelled in English and Arabic. Most hosts define their own with
 * {@link defineScopes}.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 *
 * defaultCatalogue.scopes.length //=> 24
 * ```
 */
export const defaultCatalogue = defineScopes([
  group('messages', 'Messages', 'الرسائل', [
    entry('messages.send', 'Send messages', 'إرسال الرسائل'),
    entry('messages.read', 'Read messages', 'قراءة الرسائل'),
    entry('templates.read', 'Read templates', 'قراءة قوالب الرسائل'),
  ]),
  group('contacts', 'Contacts', 'جهات الاتصال', [
    entry('contacts.read', 'Read contacts', 'قراءة جهات الاتصال'),
    entry('contacts.write', 'Add/edit contacts', 'إضافة جهات الاتصال وتعديلها'),
  ]),
  group('campaigns', 'Campaigns', 'الحملات', [
    entry('campaigns.read', 'Read campaigns', 'قراءة الحملات'),
    entry('campaigns.write', 'Create/launch campaigns', 'إنشاء الحملات وإطلاقها'),
  ]),
  group('vehicles', 'Vehicles', 'المركبات', [
    entry('vehicles.read', 'Read vehicles', 'قراءة بيانات المركبات'),
    entry('vehicles.write', 'Add/edit vehicles', 'إضافة المركبات وتعديلها'),
  ]),
  group('properties', 'Properties', 'العقارات', [
    entry('properties.read', 'Read properties', 'قراءة بيانات العقارات'),
    entry('properties.write', 'Add/edit properties', 'إضافة العقارات وتعديلها'),
  ]),
  group('bookings', 'Bookings', 'الحجوزات', [
    entry('bookings.read', 'Read bookings', 'قراءة الحجوزات'),
    entry('bookings.write', 'Create bookings', 'إنشاء الحجوزات'),
  ]),
  group('orders', 'Orders', 'طلبات الشراء', [
    entry('orders.read', 'Read orders', 'قراءة طلبات الشراء'),
    entry('orders.write', 'Update orders', 'تحديث طلبات الشراء'),
  ]),
  group('tickets', 'Support tickets', 'تذاكر الدعم', [
    entry('tickets.read', 'Read tickets', 'قراءة تذاكر الدعم'),
    entry('tickets.write', 'Create/update tickets', 'إنشاء تذاكر الدعم وتحديثها'),
  ]),
  group('leads', 'Leads', 'العملاء المحتملون', [
    entry('leads.read', 'Read leads', 'قراءة بيانات العملاء المحتملين'),
    entry('leads.write', 'Create/update leads', 'إضافة العملاء المحتملين وتحديث بياناتهم'),
  ]),
  group('requests', 'Central requests', 'الطلبات المركزية', [
    entry(
      'requests.read',
      'Read central requests and their stages',
      'قراءة الطلبات المركزية ومراحلها',
    ),
    entry(
      'requests.write',
      'Create/update requests and move their stage',
      'إنشاء الطلبات المركزية وتحديثها ونقلها بين المراحل',
    ),
  ]),
  group('advanced', 'Advanced', 'صلاحيات متقدمة', [
    entry('flows.read', 'Read bot flows', 'قراءة مسارات البوت'),
    entry('webhooks.read', 'Read webhooks', 'قراءة خطافات الويب'),
    entry('webhooks.write', 'Manage webhooks', 'إدارة خطافات الويب'),
  ]),
])

/** The 24 scope codes of {@link defaultCatalogue}. */
export type DefaultScope = ScopeOf<typeof defaultCatalogue>

function entry<const S extends string>(scope: S, en: string, ar: string) {
  return { scope, label: { en, ar } }
}

function group<const S extends string>(
  id: string,
  en: string,
  ar: string,
  scopes: readonly { readonly scope: S; readonly label: { en: string; ar: string } }[],
) {
  return { id, label: { en, ar }, scopes }
}
