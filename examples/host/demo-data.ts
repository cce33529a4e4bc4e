import { type Entitlements, type Person, plans } from 'miftah'

/** A customer of the demo product: a workspace, its plan, the user signed in there, its contacts. */
export interface DemoWorkspace {
  readonly id: string
  readonly name: string
  readonly plan: keyof typeof plans
  readonly user: Person
  readonly contacts: readonly Contact[]
}

/** What `GET /api/public/v1/contacts` returns. */
export interface Contact {
  readonly id: string
  readonly name: string
  readonly email: string
}

const WORKSPACES: readonly DemoWorkspace[] = [
  {
    id: 'business',
    name: 'دار النخيل · Palm House',
    plan: 'business',
    user: { id: 'user_noura', name: 'نورة العتيبي' },
    contacts: [
      { id: 'contact_1', name: 'سارة الحربي', email: 'sara@palm-house.example' },
      { id: 'contact_2', name: 'Omar Haddad', email: 'omar@palm-house.example' },
      { id: 'contact_3', name: 'ليلى منصور', email: 'layla@palm-house.example' },
    ],
  },
  {
    id: 'enterprise',
    name: 'Cedar Motors · سيدر للسيارات',
    plan: 'enterprise',
    user: { id: 'user_karim', name: 'Karim Aziz' },
    contacts: [
      { id: 'contact_7', name: 'Hana Saleh', email: 'hana@cedar-motors.example' },
      { id: 'contact_8', name: 'يوسف الدوسري', email: 'yousef@cedar-motors.example' },
    ],
  },
  {
    id: 'starter',
    name: 'ركن القهوة · Coffee Corner',
    plan: 'none',
    user: { id: 'user_maha', name: 'مها الشمري' },
    contacts: [{ id: 'contact_9', name: 'بدر العنزي', email: 'badr@coffee-corner.example' }],
  },
]

/** Every workspace of the demo. */
export function demoWorkspaces(): readonly DemoWorkspace[] {
  return WORKSPACES
}

/** The workspace with this id, if the demo has it. */
export function findWorkspace(id: string): DemoWorkspace | undefined {
  return WORKSPACES.find((workspace) => workspace.id === id)
}

/** What a workspace's plan allows; one the demo does not know has no public API. */
export function entitlementsOf(workspaceId: string): Entitlements {
  return plans[findWorkspace(workspaceId)?.plan ?? 'none']
}
