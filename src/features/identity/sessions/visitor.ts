/** Who stands at the door, as far as the request tells. */
export interface Visitor {
  address: string;
  /** What the program calls itself. */
  agent: string | null;
  /** The cookie of a browser that signed in before. */
  knownBrowser: string | undefined;
}

const LONGEST_AGENT = 200;

/** One line, cut: whoever calls may write anything here. */
export function describeAgent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const line = header
    .slice(0, LONGEST_AGENT)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return line === '' ? null : line;
}
