import { type Coloured, endsCrlf, type Part, partsOf, type Range } from './line-parts.js';

interface TextProps {
  text: string;
  words?: Range[] | undefined;
  colours?: readonly Coloured[] | undefined;
}

export function LineText({ text, words, colours }: TextProps) {
  return (
    <>
      {partsOf(text, words, colours).map((part, at) =>
        part.hidden || part.changed || part.colour ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change
          <span key={at} {...looksOf(part)}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
      {endsCrlf(text) && (
        <span className="line-end" title="The line ends with CR LF">
          CRLF
        </span>
      )}
    </>
  );
}

function looksOf({ text, hidden, changed, colour }: Part): { className: string; title?: string } {
  if (hidden) return { className: 'hidden-character', title: `The character ${text}, which is invisible` };
  return { className: [changed && 'diff-word', colour && `code-${colour}`].filter(Boolean).join(' ') };
}
