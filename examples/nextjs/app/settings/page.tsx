import { KeysTab } from './keys-tab'

export default function Settings() {
  return <KeysTab csrfToken="t" />
}
