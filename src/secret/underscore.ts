/**
 * The pattern of `_`, also as it is escaped in URLs (up to three times), in JSON (also within JSON) and
 * in HTML. Letters and digits are not escaped by anyone.
 */
export const UNDERSCORE = '(?:_|%(?:25){0,2}5[Ff]|\\\\{1,8}u005[Ff]|&#(?:95|[Xx]5[Ff]);)'
