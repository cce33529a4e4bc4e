/** Throws a `TypeError` for a path that routes cannot live under. */
export function demandBasePath(basePath: string): void {
  if (!/^(?:\/[^/?#]+)+$/.test(basePath)) {
    throw new TypeError('manageKeys: "basePath" must begin with a slash and not end with one.')
  }
}
