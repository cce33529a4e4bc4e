import { waitUntil } from '@vercel/functions'

/**
 * Stands for the function of `next/server`, which works within Next.js alone; on Vercel it ends in
 * `waitUntil` too. `npm run fresh-apps` runs the same route in Next.js.
 */
export function after(work: () => Promise<unknown>): void {
  const answered = new Promise((resolve) => setImmediate(resolve))
  waitUntil(answered.then(work))
}
