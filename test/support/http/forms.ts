/** What an endpoint has answered, its date aside. */
export interface FormAnswer {
  /** The status and, of an error, what it is. */
  readonly verdict: string
  readonly headers: Headers
  readonly text: string
  /** As it went over the wire. */
  readonly bytes: string
}

/** POSTs a form to an endpoint: a text, or its parameters, of which a list repeats one. */
export async function postForm(
  endpoint: (request: Request) => Promise<Response>,
  form: string | Readonly<Record<string, string | readonly string[] | undefined>>,
  headers: Readonly<Record<string, string>> = {},
  url = 'https://a.example',
): Promise<FormAnswer> {
  const fields = typeof form === 'string' ? [] : Object.entries(form)
  const pairs = fields.flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]))
  const body = typeof form === 'string' ? form : String(new URLSearchParams(pairs))
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', headers: { ...type, ...headers }, body }
  const response = await endpoint(new Request(url, init))
  const text = await response.text()
  const error = /"error":"(\w+)"/.exec(text)?.[1]
  return {
    verdict: [response.status, error ?? []].flat().join(' '),
    headers: response.headers,
    text,
    bytes: JSON.stringify([response.status, [...response.headers], text]),
  }
}
