/** The globals by which a runtime is told. */
interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: string } }
  readonly navigator?: { readonly userAgent?: string }
}

/**
 * Whether timers and work under way live as long as the process, as on Node, Deno and Bun. In a
 * Worker they end with the request that began them, also where it has the globals of Node.
 */
export function outlives({ process, navigator }: Runtime): boolean {
  return process?.versions?.node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers'
}

/** The same of the runtime that this is. */
export const outlivesRequests: boolean = outlives(globalThis as Runtime)
