/** What stands before the figures. */
export const BEFORE: readonly string[] = [
  `\`npm run bench\` makes this page: it installs the peers in a folder of their own, builds miftah,
measures it as it is published beside the peers and beside hand-written floors, and writes down what
it found. \`npm run bench -- --short\` gives a first impression in a few minutes, and
\`npm run bench -- postgres http\` measures those sections only.`,
  `**Read the ratios.** Every ratio comes from one run: in each round all contenders take a slice of
time in turn, the order moves on from round to round, and the ratio is taken round by round. The
tables give the median and, in brackets, the first and the third quartile. The absolute figures
belong to the machine and the hour; the ratios carry over, and where the quartiles lie far apart the
machine was busy with something else.`,
  `**All do the work.** Code is warm before it is measured, each call gets a string made anew, every
answer is looked at, an unexpected refusal stops the run, and in the end each store must hold as many
uses as its contender let through. A *floor* is a hand-written check that does the least one can get
away with: it has no checksum, no plan, no audit log, no deadline and no validation. \`miftah\` runs
with its default settings throughout.`,
]

/** What stands after them. */
export const AFTER: readonly string[] = [
  `## How each part is measured

- **In one process**: 1,000 keys in 100 workspaces, drawn at random, one call after the other.
- **better-auth** runs with its rate limit, logs and telemetry off, on its memory adapter, and also
  with a Map as secondary storage and deferred updates, the fastest setting that was found.
- **PostgreSQL** is a server started for the run on loopback, without fsync; each contender has a pool
  of ten connections and as many callers as the column says, each asking anew when it has its answer.
  Uses are written once a second by miftah and by both floors. Statements are counted by
  \`pg_stat_statements\`.
- **SQLite** is a file in WAL mode with \`synchronous = FULL\`, in the temporary folder.
- **HTTP**: the server and the load each have a process and, where Linux allows it, a core of their
  own; 64 connections kept alive, the next request follows the answer. Every guard has an app in a
  process of its own. *Constant* compares the header with one string: what is left above
  it is the framework's own.
- **Memory for each key** is the growth of the heap after two full collections.`,
  `## What the missed targets consist of

- **A valid key in memory**: the checksum, the check of the plan, the count and the comparison of the
  whole hash, twice, stand beside the one hash of the floor.
- **A million keys in memory**: an authentication reads some twenty places that are not in the
  processor’s cache, the floor four. The memory storage is for tests and small programs.
- **A million keys in the cache**: the lookup reads two such places, the hash and the key.
- **PostgreSQL**: the check of what was answered, the deadline of each look-up and the counting are
  not in the floors. The server writes each key as one line of text, which costs it less than columns;
  after each write of the uses, the line of a key has to be read again.
- **HTTP**: most of it is the check itself: \`Vary\`, the raw header lines and \`req.apiKey\` are hardly
  measurable beside it. Between two requests the check costs more than in a loop, as that of the floor
  does: its code and its data are no longer in the processor’s cache. The same steps with checksum,
  plan, \`Vary\` and count, written as one function for Fastify and a Map, kept 0.94 to 0.96 of the
  floor. A guard that checks as much can do little better.
- **Side by side, and the tab**: the server, the creators and the callers share two slow cores. On
  faster ones the same code met these targets: 0.70 and 0.62, 1.23 times, and 42 ms for a keystroke.
- **Size**: of 107 kB before compression, 27 are zod, 6 the hash in JavaScript, 5 the labels of 24 scopes in
  two languages, 9 the checks of inputs, 8 the cache, 7 usage history and limits, 5 the import of keys of
  other systems.`,
  `## The first release and today

Both were built and measured side by side, in one run for each row. This table is a run of its own, so its figures differ
from those above. The first release had no expiry, no pause, no history, no limits and no cache.

| measure | first release | today | goal |
| --- | ---: | ---: | ---: |
| Fastify, times a hand-written check in memory | 0.84 | 0.91 | ≥ 0.95 |
| Express, times a hand-written check in memory | 0.88 | 0.97 | ≥ 0.95 |
| PostgreSQL, 64 callers, times coalescing by hand | 0.44 | 1.33 | ≥ 1.1 |
| PostgreSQL, one caller, times a prepared SELECT | 0.69 | 0.84 | ≥ 0.95 |
| memory, 1,000 keys, times the floor | 1.88 | 2.02 | ≤ 1.7 |
| memory, 1,000,000 keys, times the floor with 1,000 | 15.0 | 14.7 | |
| import, ms above an empty program | 43 | 20 | |
| core, gzip, kB | 21.9 | 36.1 | ≤ 16 |

On PostgreSQL both write their uses once a second, as the floors do.`,
]
