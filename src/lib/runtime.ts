interface Runtime {
  readonly process?: {
    readonly versions?: { readonly node?: string }
    readonly env?: Readonly<Record<string, string | undefined>>
  }
  readonly navigator?: { readonly userAgent?: string }
}

/**
 * Whether timers and work under way live as long as the process, as on Node, Deno and Bun. In a Worker they
 * end with the request that began them, even where it has the globals of Node.
 */
export function outlives({ process, navigator }: Runtime): boolean {
  return process?.versions?.node !== undefined && navigator?.userAgent !== 'Cloudflare-Workers'
}

export const outlivesRequests: boolean = outlives(globalThis as Runtime)

/**
 * Whether a process runs between requests. AWS Lambda freezes it, and may restore it from a snapshot in which
 * both clocks stood still.
 */
export function staysAwake(runtime: Runtime): boolean {
  return outlives(runtime) && runtime.process?.env?.['AWS_LAMBDA_FUNCTION_NAME'] === undefined
}

export const runsBetweenRequests: boolean = staysAwake(globalThis as Runtime)
