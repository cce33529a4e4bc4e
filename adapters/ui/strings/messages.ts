import type { en } from './en.ts'

/** One sentence per plural category of the language; `other` is always there. */
export type PluralMessage = { readonly [Category in Intl.LDMLPluralRule]?: string } & {
  /** For every number that has no category of its own here. */
  readonly other: string
}

/** A sentence, or a set of them that `{n}` chooses from. `{x}` marks where a value goes. */
export type Message = string | PluralMessage

/** A collection of messages that is not yet known to be complete. */
export type MessageShape = Readonly<Record<string, Message>>

/** The name of a sentence of the tab. */
export type MessageId = keyof typeof en

/** Every sentence of the tab in one language. */
export type Messages = Readonly<Record<MessageId, Message>>

/** Sentences to put in place of the built-in ones, or whole further languages, by language tag. */
export type StringOverrides = Readonly<Record<string, Partial<Messages>>>

/** Values for the places of a sentence. `n` also chooses the plural form. */
export type MessageValues = Readonly<Record<string, string | number>>
