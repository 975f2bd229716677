/** Lists all values of an API enum; a missing value is a compile error. */
export const listWords = <Word extends string>(words: Record<Word, true>): readonly Word[] =>
  Object.keys(words) as Word[];
