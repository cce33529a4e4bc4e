/**
 * A statement with the full names of the operators, types and aggregates of PostgreSQL. It runs under the
 * search path of its session, in which a role that may create objects can have put others before them.
 *
 * Operators stand between spaces. By its full name a comparison binds as `+` does, from left to right,
 * so what is beside it has to be in parentheses.
 */
export function qualified(sql: string): string {
  return sql
    .replace(/ ([-+*<>=|]+) (?!FROM\b)/g, ' OPERATOR(pg_catalog.$1) ')
    .replace(/::(text|bytea|jsonb|regclass)\b/g, '::pg_catalog.$1')
    .replace(/(?<![.\w])count\(/g, 'pg_catalog.count(')
}
