const isInstance = Function.prototype[Symbol.hasInstance]

/**
 * Lets `instanceof` recognise the errors of every copy of the package: a second installed version is one, and
 * `jest.resetModules` makes another. They carry a registered symbol, which no parsed input can have.
 */
export function recognizeAcrossCopies(
  errorClass: { readonly prototype: Error },
  name: string,
): void {
  const mark = Symbol.for(`miftah.${name}`)
  Object.defineProperty(errorClass.prototype, mark, { value: true })
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, error: unknown): boolean {
      // A subclass inherits this method, and has no instances in other copies.
      return this === errorClass ? Object(error)[mark] === true : isInstance.call(this, error)
    },
  })
}
