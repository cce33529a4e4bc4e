/**
 * The SQLite drivers of this runtime, each under the name of its module, and why others are not
 * there. A storage that is given a path chooses one by itself.
 */
export async function sqliteDrivers() {
  const own = globalThis.process.getBuiltinModule?.('node:sqlite')
  const bun = 'Bun' in globalThis ? await import(nameOf('bun:sqlite')) : undefined
  const peer = await import(nameOf('@photostructure/sqlite'))
  const chosen = own ? 'node:sqlite' : bun ? 'bun:sqlite' : '@photostructure/sqlite'
  return [
    { name: `a path (${chosen})`, open: (path) => path },
    bun && driver('bun:sqlite', bun.Database),
    driver('@photostructure/sqlite', peer.DatabaseSync),
  ].filter(Boolean)
}

function driver(name, Database) {
  return {
    name,
    open: (path) => new Database(path),
    close: (database) => database.close(),
  }
}

/** Not a literal, so that a bundler leaves the import to the runtime. */
function nameOf(module) {
  return module
}
