/** The server's clock in milliseconds since the epoch, whatever the time zone of the session. */
export const NOW_MS =
  "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000)"
