/** A change that may have happened although it failed. Its message says so, its cause why. */
export class UnknownOutcome extends Error {}
