import type { SectionResult } from '../measure/result.ts'

export function writeReport(_results: ReadonlyMap<string, SectionResult>): void {}
