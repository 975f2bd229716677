/** Tokenizes code in a worker so that highlighting never blocks the page. */
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import { codeToTokensBase, createShikiPrimitiveAsync, type ShikiPrimitive } from '@shikijs/primitive';
import type { Coloured } from '../line-parts.js';
import type { Answer, Question } from './colours.js';
import { GRAMMARS } from './grammars.js';
import { kindOf, THEME } from './kinds.js';

const LONGEST_LINE = 2_000;
/** In milliseconds, to stop a grammar that hangs on a line; the first lines take longer on a busy machine. */
const LONGEST_WAIT = 5_000;

let made: Promise<ShikiPrimitive> | undefined;
const make = () =>
  createShikiPrimitiveAsync({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [THEME],
    langs: [],
    warnings: false,
  });

async function paint({ language, lines }: Question): Promise<Coloured[][]> {
  made ??= make();
  const painter = await made;
  if (!painter.getLoadedLanguages().includes(language)) await painter.loadLanguage(GRAMMARS[language]!);
  const code = lines.map((line) => (line.length > LONGEST_LINE ? '' : line.replaceAll('\r', ' '))).join('\n');
  const options = { lang: language, theme: 'kinds', tokenizeTimeLimit: LONGEST_WAIT };
  return codeToTokensBase(painter, code, options).map((tokens) => {
    const painted: Coloured[] = [];
    let at = 0;
    for (const { content, color } of tokens) {
      const kind = kindOf(color);
      if (kind && content.trim() !== '') painted.push([at, at + content.length, kind]);
      at += content.length;
    }
    return painted;
  });
}

addEventListener('message', async ({ data }: MessageEvent<Question>) => {
  // Code that cannot be parsed stays plain.
  const lines = await paint(data).catch(() => []);
  postMessage({ id: data.id, lines } satisfies Answer);
});
