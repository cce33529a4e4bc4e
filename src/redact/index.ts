/**
 * Secrets in texts: mask them in logs and error reports, find them, and recognise one. It loads nothing of
 * the rest of the core, so that a logger may import it.
 *
 * @module miftah/redact
 */

export { createRedactor, looksLikeSecret, secretPattern } from './redactor.ts'
