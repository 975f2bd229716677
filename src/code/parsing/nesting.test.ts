import { afterAll, describe, expect, it } from 'vitest';
import { ParserPool, readFacts } from './parser-pool.js';

const parsers = new ParserPool(1);
afterAll(() => parsers.close());

/** What a thread finds in it, which has the room that deep code takes. */
async function namesIn(source: string): Promise<string[]> {
  const { symbols } = readFacts(await parsers.parse('deep.ts', 'javascript', Buffer.from(source)));
  return symbols.map(({ name }) => name);
}

describe('code that is nested', () => {
  const inBraces = (depth: number) => `function whole() ${'{'.repeat(depth)}${'}'.repeat(depth)}`;
  // Before the signs stand the brace that closes the function, `const`, a name and `=`; behind them stands a number.
  const inSigns = (tokens: number) => `function whole() {} const much = ${'!'.repeat(tokens - 5)}1;`;

  it.each([
    ['5,000 brackets', inBraces(5000), ['whole']],
    ['5,001 brackets', inBraces(5001), []],
    ['10,000 tokens without an end', inSigns(10_000), ['whole']],
    ['10,001 tokens without an end', inSigns(10_001), []],
    ['words of other scripts, each one token', `${inSigns(9999).slice(0, -2)}éé;`, ['whole']],
  ])('%s', async (_, source, names) => {
    expect(await namesIn(source)).toEqual(names);
  });
});
