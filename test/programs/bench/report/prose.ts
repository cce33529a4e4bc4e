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
  own; 64 connections kept alive, the next request follows the answer. Every guard has its own app on
  its own port of the same process. *Constant* compares the header with one string: what is left above
  it is the framework's own.
- **Memory for each key** is the growth of the heap after two full collections.`,
  `## What the missed targets consist of

- **A valid key in memory**: the checksum, the check of the plan, the count and the comparison of the
  whole hash, twice, stand beside the one hash of the floor.
- **A million keys in memory**: an authentication reads some twenty places that are not in the
  processor’s cache, the floor four. The memory storage is for tests and small programs.
- **A million keys in the cache**: the lookup reads two such places, the hash and the key. Among 64 MB
  one took 210 ns on this machine, half as long as a hash and a lookup among a thousand keys.
- **PostgreSQL**: the check of what was answered, the deadline of each look-up and the counting are
  not in the floors. The server writes each key as one line of text, which costs it less than columns;
  after each write of the uses, the line of a key has to be read again.
- **HTTP**: nearly all of it is the check itself: a hook that only calls \`authenticate\` costs the same
  within the noise. \`Vary\`, the raw header lines, the promise and \`req.apiKey\` together are not
  measurable beside it. Between two requests the check costs more than in a loop, as that of the floor
  does: its code and its data are no longer in the processor’s cache. No step stands out: without
  the checksum, the plan, the check of the requirement, the count and the storage’s answer together, a
  request to Fastify took 8 % less.
- **Size**: of 112 kB before compression, 27 are zod, 6 the hash in JavaScript, 5 the labels of 24 scopes in
  two languages, 9 the checks of inputs, 8 the cache, 7 usage history and limits, 6 the import of keys of
  other systems.`,
  `## The request path before and after

Taken side by side in one run each, on a machine that was busy with other work, so only the ratios
count; \`npm run bench\` was not run in full. *Tuned* is the request path before it was
rewritten, *plain* the rewrite, *now* the plain one with the tricks that carry a figure in their comment.

| measure | tuned | plain | now | goal |
| --- | ---: | ---: | ---: | ---: |
| memory, 1,000 keys, processor time, times the floor; two runs | 1.84, 1.96 | 3.67, 3.92 | 2.57, 2.76 | ≤ 1.7 |
| PostgreSQL, 64 callers, times coalescing by hand; two runs |  | 1.07, 1.00 | 1.11, 1.09 | ≥ 1.1 |
| PostgreSQL, one caller, times a prepared SELECT |  | 0.87 | 0.86 | ≥ 0.95 |
| Fastify, times a hand-written check |  | 0.88, 0.82 | 0.93, 0.88, 0.89 | ≥ 0.95 |
| Express, times a hand-written check |  | 0.78 | 0.92, 0.89, 0.76 | ≥ 0.95 |

Several figures are several runs. All but the first row are by the wall clock, and no more exact than the
runs agree. PostgreSQL was measured shortly before the last changes to it.`,
]
