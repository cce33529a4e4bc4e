interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: string } }
  readonly navigator?: { readonly userAgent?: string }
}

const { process, navigator }: Runtime = globalThis

/**
 * Whether timers and work under way live as long as the process, as on Node, Deno and Bun. In a
 * Worker they end with the request that began them, also where it has the globals of Node.
 */
export const outlivesRequests: boolean =
  process?.versions?.node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers'
