import type { AdversarialCase } from './adversarial-case.ts'

const BEARER = 'test/core/authenticate/credential.test.ts'
const ORDER = 'test/core/authenticate/order.test.ts'
const FAULTS = 'test/core/authenticate/faults.test.ts'
const CORE = 'test/security/core.test.ts'

/** Inputs of `authenticate`. */
export const headerCases: readonly AdversarialCase[] = [
  {
    id: 'H01',
    given: 'nothing, null, an empty text, spaces',
    outcome: 'missing',
    shownBy: ['vector no-header', 'vector empty', 'vector spaces', `${BEARER}: missing: %s`],
  },
  {
    id: 'H02',
    given: 'the scheme without a token',
    outcome: 'invalid_request',
    shownBy: ['vector no-token', 'vector no-token-spaces'],
  },
  {
    id: 'H03',
    given: 'the scheme in any case',
    outcome: 'accepted',
    shownBy: ['vector scheme-lower', 'vector scheme-upper', 'vector scheme-mixed'],
  },
  {
    id: 'H04',
    given: '2, 8, 9 and 100 spaces',
    outcome: 'accepted up to 8, then invalid_request',
    shownBy: ['vector eight-spaces', 'vector nine-spaces', 'vector hundred-spaces'],
  },
  {
    id: 'H05',
    given: 'a TAB after the scheme',
    outcome: 'invalid_request',
    shownBy: ['vector tab', 'vector space-tab', 'vector tab-space'],
  },
  {
    id: 'H06',
    given: 'spaces around the value',
    outcome: 'accepted',
    shownBy: ['vector space-around', 'vector tab-around', `${BEARER}: one secret is taken: %s`],
  },
  {
    id: 'H07',
    given: 'something, a comma, a second credential after the key',
    outcome: 'invalid_request',
    shownBy: ['vector word-after', 'vector comma-after', 'vector joined-other'],
  },
  {
    id: 'H08',
    given: 'the key in quotes or behind a name',
    outcome: 'invalid_token',
    shownBy: ['vector quoted', 'vector named'],
  },
  {
    id: 'H09',
    given: 'no space, a colon, a shorter scheme',
    outcome: 'missing',
    shownBy: ['vector no-space', 'vector colon', 'vector scheme-shorter'],
  },
  {
    id: 'H10',
    given: 'Basic, Digest, Token',
    outcome: 'missing',
    shownBy: ['vector basic', 'vector digest', 'vector scheme-token'],
  },
  {
    id: 'H11',
    given: 'the key without a scheme',
    outcome: 'missing',
    shownBy: ['vector bare-key'],
  },
  {
    id: 'H12',
    given: 'lists instead of a text',
    outcome: 'a TypeError in the process, and invalid_request as lines of a request',
    shownBy: [
      `${BEARER}: a list of one`,
      `${BEARER}: a list of two`,
      `${BEARER}: %s as a line of a request is refused by a guard`,
      'vector twice',
    ],
  },
  {
    id: 'H14',
    given: 'a String object',
    outcome: 'a TypeError',
    shownBy: [`${BEARER}: a String object`],
  },
  {
    id: 'H15',
    given: 'every character of a key changed to every other',
    outcome: 'malformed, the storage is not asked',
    shownBy: [
      `${CORE}: every other character in every place is malformed, and nothing is looked up`,
    ],
  },
  {
    id: 'H16',
    given: 'two neighbours swapped',
    outcome: 'malformed',
    shownBy: [`${BEARER}: two neighbours swapped, wherever they differ`],
  },
  {
    id: 'H17',
    given: 'the key in upper or lower case',
    outcome: 'malformed',
    shownBy: [`${BEARER}: upper case`, `${BEARER}: lower case`],
  },
  {
    id: 'H19',
    given: 'invisible, full-width and look-alike characters',
    outcome: 'invalid_request, nothing is normalised',
    shownBy: [
      `${BEARER}: a bidi override`,
      `${BEARER}: a zero width space`,
      `${BEARER}: a byte order mark`,
      `${BEARER}: a Cyrillic letter`,
      `${BEARER}: full-width digits`,
      'vector cyrillic-after',
    ],
  },
  {
    id: 'H21',
    given: 'every length from 0 to 4,096',
    outcome: 'malformed up to 512 characters, then invalid_request',
    shownBy: [`${BEARER}: every length up to 4,096 is answered without a throw`],
  },
  {
    id: 'H22',
    given: '8 KB, 16 KB, 1 MB',
    outcome: 'invalid_request in less than 50 µs',
    shownBy: [`${CORE}: $title is refused in less than 50 µs`],
  },
  {
    id: 'H23',
    given: 'the scheme a thousand times',
    outcome: 'invalid_request',
    shownBy: [`${BEARER}: Bearer again and again`, 'vector scheme-again-and-again'],
  },
  {
    id: 'H24',
    given: 'a live key edited to test',
    outcome: 'malformed; the environment of a good key is told to the route',
    shownBy: [`${BEARER}: a live key edited to test`],
  },
  {
    id: 'H25',
    given: 'a key of another brand with a good checksum',
    outcome: 'malformed, the storage is not asked',
    shownBy: [`${CORE}: a good key of another brand is malformed, and nothing is looked up`],
  },
  {
    id: 'H26',
    given: 'a well-formed key that nobody issued',
    outcome: 'unknown after one look-up',
    shownBy: [`${ORDER}: unknown: one look-up, and the plan is not asked`, 'vector unknown'],
  },
  {
    id: 'H27',
    given: 'a revoked key (keys do not expire, and are told only when they are stored)',
    outcome: 'invalid_token',
    shownBy: ['vector revoked', `${ORDER}: once %s has answered, every later call is refused`],
  },
  {
    id: 'H31',
    given: 'a scope that only resembles the one held',
    outcome: 'insufficient_scope',
    shownBy: [`${ORDER}: matches exactly: no part, no other case, no wildcard`],
  },
  {
    id: 'H32',
    given: 'a workspace that lost the API',
    outcome: 'plan_required',
    shownBy: [
      `${ORDER}: plan: before the scope`,
      'test/http/guards/verdicts.test.ts: a workspace without the API: 403 without a challenge',
    ],
  },
  {
    id: 'H33',
    given: 'a storage that throws, rejects, hangs, answers nothing, another row or two',
    outcome: 'a fault, 503; never a verdict',
    shownBy: [
      `${FAULTS}: it %s`,
      `${FAULTS}: it hangs: the deadline ends the wait`,
      `${FAULTS}: another key`,
      `${FAULTS}: two rows`,
      'test/http/guards/verdicts.test.ts: an outage: 503 with Retry-After, and then the key works again',
    ],
  },
  {
    id: 'H34',
    given: 'a row with a broken field',
    outcome: 'a fault, 503',
    shownBy: [
      `${FAULTS}: no hash`,
      `${FAULTS}: the hash in upper case`,
      `${FAULTS}: an empty object`,
    ],
  },
  {
    id: 'H35',
    given: '10,000 calls at once',
    outcome: 'one verdict; each call has a look-up of its own, none is shared',
    shownBy: [`${ORDER}: 10,000 at once get one verdict and are counted once each`],
  },
  {
    id: 'H36',
    given: 'a revocation during a pending look-up, a call after it',
    outcome: 'the later call is refused',
    shownBy: [
      `${CORE}: a look-up that was under way during the revocation helps no later call`,
      `${ORDER}: once %s has answered, every later call is refused`,
    ],
  },
  {
    id: 'H37',
    given: 'a wall clock set by days and by decades',
    outcome: 'a revoked key stays revoked',
    shownBy: [`${ORDER}: the wall clock has no say in it`],
  },
  {
    id: 'H40',
    given: 'the time of a refusal by the place of the wrong byte',
    outcome: 'no difference',
    shownBy: [],
    without:
      'A key is found by the SHA-256 of the whole secret, and what is compared afterwards are two ' +
      'hashes that no client can choose: there is no place of a wrong byte to measure.',
  },
]
