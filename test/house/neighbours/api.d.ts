export type { paths } from '../../support/http/openapi-paths.ts'
