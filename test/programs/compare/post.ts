/** The text of a POST with a JSON body. */
export function postText(path: string, lines: readonly string[], body: unknown): string {
  const text = Buffer.from(JSON.stringify(body)).toString('latin1')
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...lines]
  return [...head, `Content-Length: ${text.length}`, '', text].join('\r\n')
}
