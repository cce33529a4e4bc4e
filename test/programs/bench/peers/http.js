import bearerAuth from '@fastify/bearer-auth'
import passport from 'passport'
import headerApiKey from 'passport-headerapikey'

/** passport-headerapikey as Express middleware; `accepts` decides about a key. */
export function passportGuard(accepts) {
  const authenticator = new passport.Passport()
  const strategy = new headerApiKey.HeaderAPIKeyStrategy(
    { header: 'Authorization', prefix: 'Bearer ' },
    false,
    (key, done) => done(null, accepts(key) ? { id: 'u_1' } : false),
  )
  authenticator.use(strategy)
  return authenticator.authenticate('headerapikey', { session: false })
}

/** @fastify/bearer-auth on a Fastify instance; it compares with every key of the list. */
export function guardFastify(app, keys) {
  return app.register(bearerAuth, { keys: new Set(keys) })
}
