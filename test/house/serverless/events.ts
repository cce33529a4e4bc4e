/* The events that AWS sends for `GET /contacts?page=2`, with the fields that a handler or Hono reads. */

const HOST = 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com'

const isGiven = <T>(authorization: string | null, headers: T) =>
  authorization === null ? {} : headers

/** Of an HTTP API and of a function URL: payload format 2.0. */
export function httpApiEvent(authorization: string | null) {
  return {
    version: '2.0',
    rawPath: '/contacts',
    rawQueryString: 'page=2',
    cookies: ['theme=dark'],
    headers: { host: HOST, ...isGiven(authorization, { authorization }) },
    requestContext: {
      domainName: HOST,
      http: { method: 'GET', path: '/contacts', sourceIp: '203.0.113.7' },
    },
    isBase64Encoded: false,
  }
}

/** Of a REST API: payload format 1.0, whose header names are as the client wrote them. */
export function restApiEvent(authorization: string | null) {
  const headers = { Host: HOST, ...isGiven(authorization, { Authorization: authorization }) }
  const each = Object.entries(headers).map(([name, value]) => [name, [value]])
  return {
    version: '1.0',
    path: '/contacts',
    httpMethod: 'GET',
    headers,
    multiValueHeaders: Object.fromEntries(each),
    queryStringParameters: { page: '2' },
    multiValueQueryStringParameters: { page: ['2'] },
    requestContext: { domainName: HOST, identity: { sourceIp: '203.0.113.7' } },
    body: null,
    isBase64Encoded: false,
  }
}

/** A request as the other platforms give it to a function. */
export function webEvent(authorization: string | null) {
  const url = 'https://api.example.com/contacts?page=2'
  return { url, headers: isGiven(authorization, { authorization }) }
}
