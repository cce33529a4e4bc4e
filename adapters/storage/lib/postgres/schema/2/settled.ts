import type { Names } from '../../names.ts'

/**
 * How far events are settled: `settled_to` is a position in `outbox` with nothing left to deliver up
 * to it, now or later. A claim begins there, so that it does not read the entries of settled events
 * again, which PostgreSQL keeps for as long as an older snapshot of any program is open.
 *
 * A position is taken before its event is committed, so an earlier one may still turn up. Its
 * transaction has an id, though, which is lower than that of a transaction that began once a later
 * position was settled. So `next_settled_to` counts when all transactions before `next_after` have
 * ended.
 */
export function settled({ at, bare }: Names): string {
  return `
  ALTER TABLE ${at('relay')}
    ADD COLUMN settled_to bigint NOT NULL DEFAULT 0,
    ADD COLUMN next_settled_to bigint,
    ADD COLUMN next_after xid8;
  CREATE INDEX ${bare('writers_by_age')} ON ${at('writers')} (seen_at);`
}

/**
 * Moves the position on, after the events up to `v_settled_to` were settled. The id of a transaction
 * that has written before may be too low.
 */
export function moveSettled(at: Names['at']): string {
  return `
      IF v_relay.next_after < pg_snapshot_xmin(pg_current_snapshot()) THEN
        SELECT o.position - 1 INTO v_before_open FROM ${at('outbox')} o
          WHERE o.position > v_relay.settled_to ORDER BY o.position LIMIT 1;
        v_relay.settled_to := greatest(
          v_relay.settled_to, least(v_relay.next_settled_to, v_before_open));
        v_relay.next_after := NULL;
      END IF;
      IF v_is_first_write AND v_settled_to IS NOT NULL
        AND coalesce(v_relay.next_after > pg_current_xact_id(), true)
      THEN
        v_relay.next_settled_to := v_settled_to;
        v_relay.next_after := pg_current_xact_id();
      END IF;
      UPDATE ${at('relay')} r SET settled_to = v_relay.settled_to,
        next_settled_to = v_relay.next_settled_to, next_after = v_relay.next_after;`
}

/**
 * Moves the position back before the event at `v_position`. Positions only grow, unless somebody sets
 * their sequence back: logical replication copies `relay` and no sequence, so the first positions after a
 * switch would count as settled.
 */
export function lowerSettled(at: Names['at']): string {
  return `UPDATE ${at('relay')} r
      SET settled_to = LEAST(r.settled_to, v_position - 1), next_settled_to = NULL, next_after = NULL
      WHERE r.settled_to >= v_position OR r.next_settled_to >= v_position;`
}
