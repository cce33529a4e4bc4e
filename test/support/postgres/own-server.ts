import { isAvailable } from '../available.ts'

/** Whether the server is one that tests started, and may stop and set up as they like. */
export const hasOwnServer = isAvailable(
  'A PostgreSQL of our own',
  !process.env['MIFTAH_TEST_POSTGRES_URL'],
  'unset MIFTAH_TEST_POSTGRES_URL',
)
