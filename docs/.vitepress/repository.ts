/** The address of the repository, where the build knows it: CI gives it, as it does to the release. */
export function repository(): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env
  return server === undefined || name === undefined ? null : `${server}/${name}`
}
