import { showActor } from '../../../kernel/actors.js';
import { renderBlock } from '../../../kernel/code-block.js';
import type { OpenThread } from '../comments/comments.service.js';

const HEADING = `## Review comments

The attempts before this one were looked at. Answer every comment with a change, or say in your result why not.

`;
const OLDER = 'Older ones are left out; whoever reviews shows them.\n\n';
/** As much as a hundred long comments. */
const REVIEW_BYTES = 512 * 1024;

/** The section of what a review asks for, of threads that come oldest first; empty where there are none. */
export function writeThreads(threads: readonly OpenThread[]): string {
  const pieces: string[] = [];
  let room = REVIEW_BYTES;
  for (const thread of [...threads].reverse()) {
    const piece = renderThread(thread);
    room -= Buffer.byteLength(piece);
    if (room < 0) break;
    pieces.unshift(piece);
  }
  if (pieces.length === 0) return '';
  return HEADING + (pieces.length < threads.length ? OLDER : '') + pieces.join('');
}

/** Every text in a fence of its own, names and paths too: none can speak for another, or for the brief. */
function renderThread({ path, line, outdated, context, said }: OpenThread): string {
  const [first, ...answers] = said;
  const place = path === null ? [] : [line === null ? path : `${path}:${line}`];
  const head = renderBlock([...place, `by ${nameOf(first!)}`].join('\n'), '');
  return [
    `${path === null ? 'About all of it' : 'At'}:\n\n${head}`,
    outdated && context
      ? `The line is not there any more. It was the last of:\n\n${renderBlock(context, '')}`
      : '',
    renderBlock(first!.body, ''),
    ...answers.map(
      (answer) => `Answered:\n\n${renderBlock(`by ${nameOf(answer)}`, '')}\n${renderBlock(answer.body, '')}`,
    ),
  ]
    .filter(Boolean)
    .map((part) => `${part}\n`)
    .join('');
}

const nameOf = ({ author }: OpenThread['said'][number]): string =>
  (showActor(author)?.name || 'somebody who has left').replace(/\s+/g, ' ');
