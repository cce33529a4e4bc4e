import type { AdversarialCase } from './adversarial-case.ts'

const SECRECY = 'test/ui/secrecy.test.ts'
const TABLE = 'test/ui/table.test.ts'

/** The settings tab in a browser. */
export const settingsTabCases: readonly AdversarialCase[] = [
  {
    id: 'U01',
    given: 'markup, templates and long text as a name',
    outcome: 'text',
    shownBy: [`${TABLE}: 3: names are text`],
  },
  {
    id: 'U02',
    given: 'a key on a right-to-left page',
    outcome: 'isolated; copied byte for byte',
    shownBy: ['test/ui/reveal.test.ts: 24: copying by %s takes the key byte for byte'],
  },
  {
    id: 'U03',
    given: 'a name with a bidi override',
    outcome: 'reorders nothing',
    shownBy: [
      `${TABLE}: 4: a name cannot reorder itself or its neighbours`,
      'test/ui/strings.test.ts: what could reorder or hide text is replaced',
    ],
  },
  {
    id: 'U04',
    given: 'leaving, reloading, coming back',
    outcome: 'the secret is gone from page, state and storage',
    shownBy: [
      `${SECRECY}: 27: after dismissal the key is nowhere in the page`,
      `${SECRECY}: 31: leaving and coming back shows no key`,
      `${SECRECY}: 31: a reload and a move in the page show no key`,
    ],
  },
  {
    id: 'U05',
    given: 'form restore and autofill',
    outcome: 'the secret is in no attribute and no field',
    shownBy: [`${SECRECY}: 27: while it is shown, no attribute holds it`],
  },
  {
    id: 'U06',
    given: 'a clipboard that is denied or absent',
    outcome: 'a way around, no false “Copied”',
    shownBy: [
      'test/ui/reveal.test.ts: 25: a clipboard that is %s is worked around',
      'test/ui/reveal.test.ts: 25: when nothing works the key is selected and nobody claims a copy',
    ],
  },
  {
    id: 'U07',
    given: 'a double click',
    outcome: 'one request',
    shownBy: ['test/ui/create.test.ts: 18: a double click and a held Enter make one key'],
  },
  {
    id: 'U08',
    given: 'a network that dies after the commit',
    outcome: 'called unknown; the list is asked again',
    shownBy: [
      'test/ui/create-failures.ci.test.ts: 20: a cut connection is not called a failure, and is not tried again',
    ],
  },
  {
    id: 'U10',
    given: 'the limit, a lost plan, an ended session in the middle of a dialog',
    outcome: 'the right sentence',
    shownBy: [
      'test/ui/create-failures.ci.test.ts: 19: %s is told in the dialog and nothing typed is lost',
      'test/ui/states.test.ts: 41: a session that ended asks to sign in',
    ],
  },
  {
    id: 'U11',
    given: 'a strict content security policy with trusted types',
    outcome: 'it works; every test of the tab runs under it',
    shownBy: ['test/host/settings-tab.test.ts: from the first key to the last refusal (%s)'],
  },
  {
    id: 'U12',
    given: 'the page in a frame',
    outcome: 'the host’s own frame-ancestors',
    shownBy: [],
    without:
      'The tab does not know which frames its page allows; the page says so in its policy. The ' +
      'management routes themselves forbid frames.',
  },
  {
    id: 'U13',
    given: 'keyboard and assistive technology',
    outcome: 'no finding; the secret is announced nowhere',
    shownBy: [
      'test/ui/keyboard.test.ts: 43: the whole story without a mouse (%s)',
      `${SECRECY}: 33: the key and the code with it are masked, and no live region ever says the key`,
    ],
  },
  {
    id: 'U14',
    given: 'session replay and analytics',
    outcome: 'the secret’s element is marked private',
    shownBy: [
      `${SECRECY}: 33: the key and the code with it are masked, and no live region ever says the key`,
    ],
  },
  {
    id: 'U15',
    given: 'Arabic pages, digits and dates',
    outcome: 'stable pictures',
    shownBy: ['test/support/settings-tab/compared-pictures.ts: 46: %s, %s, %s, %i px'],
  },
  {
    id: 'U16',
    given: 'a slow revocation',
    outcome: '“revoked” is never said before the answer',
    shownBy: [
      'test/ui/rotate-revoke.test.ts: 36: a failed %s (%#) stays in the dialog and can be tried again',
    ],
  },
]
