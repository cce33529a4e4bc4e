import type { Names } from '../../names.ts'

/** Version 1 takes the right to call its functions from everybody. Released, and so never changed. */
export function closedToPublic({ at }: Names): string {
  return `
  REVOKE ALL ON FUNCTION ${at('insert_key')}(jsonb) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('rotate_key')}(jsonb) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('revoke_key')}(jsonb) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('add_uses')}(text, bigint, text[], bigint[], bigint[]) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('claim_events')}(jsonb) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('settle_events')}(text, text[]) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('lock_workspace')}(text, boolean) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('store_key')}(jsonb, text, bigint, text) FROM PUBLIC;
  REVOKE ALL ON FUNCTION ${at('store_event')}(jsonb, text, bigint) FROM PUBLIC;`
}
