import { StringDecoder } from 'node:string_decoder';
import type { Secrets } from '../spool/secret-filter.js';

const LONGEST_HEADER = 64 * 1024;

export interface FoundSecret {
  name: string;
  /** A file and line, or the part of a commit. */
  where: string;
}

/**
 * Looks for secrets in added lines, commit messages and names, reading `git diff-tree --pretty=raw --patch
 * --unified=0`. Counts the lines of each hunk, so that a line of a file is never mistaken for a header.
 */
export function createSecretSearch(secrets: Secrets) {
  const decoder = new StringDecoder('utf8');
  const search = secrets.createSearch();
  let found: FoundSecret | undefined;
  let commit = '';
  let path = '';
  let line = 0;
  let oldLeft = 0;
  let newLeft = 0;
  /** The kind of the current line, and its text so far when it is a header. */
  let kind: 'unknown' | 'added' | 'removed' | 'word' = 'unknown';
  let word = '';

  function tell(name: string | undefined, where: () => string): void {
    if (name !== undefined) found ??= { name, where: secrets.mask(where()) };
  }

  function begin(first: string): typeof kind {
    if (oldLeft + newLeft === 0 || first === '\\') kind = 'word';
    else if (first === '+') kind = 'added';
    else kind = 'removed';
    word = '';
    return kind;
  }

  function take(text: string): void {
    if (kind === 'added') tell(search.look(text), () => `${path}, line ${line}`);
    else if (kind === 'word' && word.length < LONGEST_HEADER) word += text;
  }

  function end(): void {
    if (kind === 'added') {
      newLeft -= 1;
      line += 1;
    } else if (kind === 'removed') oldLeft -= 1;
    else if (kind === 'word') readWord();
    kind = 'unknown';
  }

  function readWord(): void {
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(word);
    if (hunk) {
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[3] ?? 1);
      line = Number(hunk[2]);
      search.reset();
      return;
    }
    if (/^(diff --git|commit) /.test(word)) search.reset();
    commit = /^commit ([0-9a-f]{40,64})/.exec(word)?.[1] ?? commit;
    path = /^\+\+\+ "?b\/(.*?)"?\t?$/.exec(word)?.[1] ?? path;
    // Git indents the message, so none of its lines can look like a header.
    const part = word.startsWith('    ') ? 'the message' : 'a name';
    tell(search.look(word), () => `${part} of commit ${commit.slice(0, 12)}`);
    if (part === 'a name') search.reset();
  }

  return {
    found: (): FoundSecret | undefined => found,

    push(chunk: Buffer): void {
      const pieces = decoder.write(chunk).split('\n');
      pieces.forEach((piece, index) => {
        let text = piece;
        if (kind === 'unknown' && (text !== '' || index < pieces.length - 1)) {
          if (begin(text[0] ?? '') !== 'word') text = text.slice(1);
        }
        take(text);
        if (index < pieces.length - 1) end();
      });
    },
  };
}
