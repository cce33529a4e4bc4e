/** How many characters of a secret are stored for display. */
export const PREFIX_LENGTH = 12
