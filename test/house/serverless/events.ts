/* The events that AWS sends for `GET /contacts?page=2`, with what its documentation shows in them. */

const HOST = 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com'

/** Of an HTTP API and of a function URL: payload format 2.0. */
export function httpApiEvent(authorization: string | null) {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/contacts',
    rawQueryString: 'page=2',
    cookies: ['theme=dark'],
    headers: {
      accept: '*/*',
      ...(authorization !== null && { authorization }),
      'content-length': '0',
      host: HOST,
      'user-agent': 'curl/8.5.0',
      'x-amzn-trace-id': 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
    },
    queryStringParameters: { page: '2' },
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      domainName: HOST,
      domainPrefix: 'a1b2c3d4e5',
      http: {
        method: 'GET',
        path: '/contacts',
        protocol: 'HTTP/1.1',
        sourceIp: '203.0.113.7',
        userAgent: 'curl/8.5.0',
      },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '10/Mar/2026:05:16:23 +0000',
      timeEpoch: 1_773_119_783_000,
    },
    isBase64Encoded: false,
  }
}

/** Of a REST API: payload format 1.0, whose header names are as the client wrote them. */
export function restApiEvent(authorization: string | null) {
  const headers = { Accept: '*/*', Host: HOST, 'X-Forwarded-Proto': 'https' }
  const all = authorization === null ? headers : { ...headers, Authorization: authorization }
  return {
    version: '1.0',
    resource: '/{proxy+}',
    path: '/contacts',
    httpMethod: 'GET',
    headers: all,
    multiValueHeaders: Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, [value]]),
    ),
    queryStringParameters: { page: '2' },
    multiValueQueryStringParameters: { page: ['2'] },
    pathParameters: { proxy: 'contacts' },
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      domainName: HOST,
      domainPrefix: 'a1b2c3d4e5',
      httpMethod: 'GET',
      path: '/prod/contacts',
      protocol: 'HTTP/1.1',
      requestId: 'JKJaXmPLvHcESHA=',
      resourcePath: '/{proxy+}',
      stage: 'prod',
      identity: { sourceIp: '203.0.113.7', userAgent: 'curl/8.5.0' },
    },
    body: null,
    isBase64Encoded: false,
  }
}

/** A request as the other platforms give it to a function. */
export function webEvent(authorization: string | null) {
  const headers = authorization === null ? {} : { authorization }
  return { url: 'https://api.example.com/contacts?page=2', headers }
}
