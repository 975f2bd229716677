/** What a desk may tell of the end of a setup's log. */
export const LONGEST_SETUP_TAIL = 65_536;

/** As much of the end of a log as a build shows. */
export const SHOWN_TAIL = { lines: 40, characters: 4_000 };
/** As much as the next attempt is given. */
export const BRIEF_TAIL = { lines: 200, characters: 32_000 };

/** The last lines of a text, so many at most, and no more characters than that; whole ones where they fit. */
export function endOf(text: string, { lines, characters }: typeof SHOWN_TAIL): string {
  const cut = text.trimEnd().slice(-characters).toWellFormed();
  return cut.split('\n').slice(-lines).join('\n');
}
