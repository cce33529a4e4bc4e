import type {
  MysqlConnection,
  MysqlPool,
  MysqlQuery,
} from '../../../adapters/storage/lib/mysql/driver.ts'

/** What a test sees of a pool, and does to it. */
interface Watch {
  /** Called with each statement, which it may change, answer itself or pass on to the connection. */
  readonly query?: (query: MysqlQuery, on: MysqlConnection) => ReturnType<MysqlConnection['query']>
  /** Called when a connection goes back, or is closed. */
  readonly onEnd?: (how: 'released' | 'destroyed') => void
}

/** A pool whose statements are noted in `sent`. */
export function watchedPool(pool: MysqlPool, { query, onEnd }: Watch = {}) {
  const sent: string[] = []
  const getConnection = async (): Promise<MysqlConnection> => {
    const connection = await pool.getConnection()
    return {
      query: (given) => {
        sent.push(given.sql)
        return query === undefined ? connection.query(given) : query(given, connection)
      },
      release: () => {
        onEnd?.('released')
        connection.release()
      },
      destroy: () => {
        onEnd?.('destroyed')
        connection.destroy()
      },
    }
  }
  return { pool: { getConnection } satisfies MysqlPool, sent }
}
