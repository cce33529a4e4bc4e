import type { AdversarialCase } from './adversarial-case.ts'

const CONNECTIONS = 'test/http/guards/connections.test.ts'
const VERDICTS = 'test/http/guards/verdicts.test.ts'
const MOUNTING = 'test/http/guards/mounting.test.ts'

/** Requests over sockets, in every HTTP adapter. */
export const httpCases: readonly AdversarialCase[] = [
  {
    id: 'E01',
    given: 'two Authorization lines',
    outcome: '400',
    shownBy: [
      'vector twice',
      'vector twice-valid-first',
      'vector twice-valid-last',
      'vector twice-basic-first',
      `${VERDICTS}: twice in two cases`,
    ],
  },
  {
    id: 'E02',
    given: 'the same over HTTP/2',
    outcome: 'the same verdicts',
    shownBy: [
      'test/http/guards/http2.test.ts: refuses two Authorization fields, which Node joins or drops in silence',
    ],
  },
  {
    id: 'E03',
    given: 'a storage that rejects inside the middleware',
    outcome: 'one answer, 503; nothing rejects into the framework',
    shownBy: [`${CONNECTIONS}: an outage does not end the connection`],
  },
  {
    id: 'E04',
    given: 'a client that leaves during the look-up',
    outcome: 'no unhandled rejection',
    shownBy: [`${CONNECTIONS}: a client that leaves during the look-up harms nobody`],
  },
  {
    id: 'E05',
    given: 'a guard mounted twice, or after somebody has answered',
    outcome: 'both must agree; nothing more is written',
    shownBy: [
      `${MOUNTING}: can be mounted twice: both must agree`,
      `${MOUNTING}: lets nothing through after someone else has answered`,
    ],
  },
  {
    id: 'E06',
    given: 'a bad key with a body of a gigabyte',
    outcome: '401 before the body',
    shownBy: [
      `${CONNECTIONS}: a bad key is refused while its body is still to come`,
      `${CONNECTIONS}: a bad key is refused during a body that never ends`,
    ],
  },
  {
    id: 'E07',
    given: 'a preflight',
    outcome: 'neither checked nor let through, no CORS headers',
    shownBy: [
      `${VERDICTS}: a preflight is neither checked nor let through, and gets no CORS headers`,
    ],
  },
  {
    id: 'E08',
    given: 'HEAD',
    outcome: 'like GET, without a body',
    shownBy: [`${VERDICTS}: HEAD is answered like GET, without a body`],
  },
  {
    id: 'E09',
    given: 'the headers of every refusal',
    outcome: 'a challenge that a strict parser reads, problem+json, Vary, no-store',
    shownBy: ['vector no-header', 'vector no-token', 'vector unknown'],
  },
  {
    id: 'E11',
    given: 'X-Forwarded-*, X-Original-URL, X-HTTP-Method-Override',
    outcome: 'not believed',
    shownBy: [
      'test/security/http.test.ts: headers of proxies and overrides open nothing',
      'test/http/management/operations.test.ts: an overridden method is not believed',
    ],
  },
  {
    id: 'E13',
    given: 'a handler that throws',
    outcome: 'the host answers; the key is not told',
    shownBy: [
      `${VERDICTS}: a handler that throws is answered by the host, without the key`,
      `${MOUNTING}: leaves what the handler throws to the runtime`,
    ],
  },
  {
    id: 'E14',
    given: 'the fetch adapter in Bun, Deno and Workers',
    outcome: 'the same vectors',
    shownBy: [],
    without:
      'Run by the runtime matrix, not by this suite; here the adapter runs the vectors on Node.',
  },
  {
    id: 'E15',
    given: 'what the handler gets',
    outcome: 'frozen, known fields, neither hash nor secret',
    shownBy: [
      `${VERDICTS}: the handler gets the frozen key, whatever the headers claim`,
      'test/core/authenticate/order.test.ts: has exactly the fields of a key, and they cannot be changed',
    ],
  },
]
