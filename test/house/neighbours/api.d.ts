export type { paths } from '../../support/http/openapi-types.d.ts'
