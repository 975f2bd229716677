/** Every word of an enumeration of the interface, in this order. A word that is missing here does not compile. */
export const listWords = <Word extends string>(words: Record<Word, true>): readonly Word[] =>
  Object.keys(words) as Word[];
