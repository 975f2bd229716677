import type { BuildComment } from '../../../client/src/index.js';
import type { Command } from '../command.js';
import { misuse } from '../failure.js';
import { findBuildId } from '../find.js';
import { readPiped } from '../input.js';
import { given } from '../options.js';

const placeOf = ({ path, line, outdated }: BuildComment): string =>
  path === null ? '' : `${path}${line === null ? '' : `:${line}`}${outdated ? ' (outdated)' : ''}`;

const stateOf = ({ draft, resolved }: BuildComment): string =>
  draft ? 'draft' : resolved ? 'resolved' : 'open';

const columns = [
  { title: 'id', of: (comment: BuildComment) => comment.comment_id },
  { title: 'location', of: placeOf },
  { title: 'state', of: stateOf },
  { title: 'author', of: (comment: BuildComment) => comment.author?.name ?? 'a former member' },
  {
    title: 'comment',
    of: ({ reply_to, body }: BuildComment) => `${reply_to ? '> ' : ''}${body.replace(/\s+/g, ' ')}`,
  },
];

export const buildComments: Command[] = [
  {
    use: 'comments <build>',
    about: 'List the comments on a build and its earlier attempts.',
    examples: ['guildhall builds comments ENG-12', 'guildhall builds comments ENG-12 --json path,line,body'],
    async run(call) {
      const build_id = await findBuildId(call, call.args[0]!);
      const { comments } = await call
        .service()
        .client.listBuildComments({ build_id }, { signal: call.signal });
      call.out.list(comments, columns, 'No comments yet.');
    },
  },
  {
    use: 'comment <build> [text]',
    about: "Comment on a build's changes. Without text, reads it from standard input.",
    examples: [
      'guildhall builds comment ENG-12 "Well done."',
      'guildhall builds comment ENG-12 --path src/billing.ts --line 12 --draft "Use the helper"',
    ],
    options: [
      ['--path <path>', 'The file to comment on'],
      ['--line <n>', 'The line in the new version of the file'],
      ['--old', 'Count the line in the base version of the file'],
      ['--reply <comment>', 'The comment to reply to'],
      ['--draft', 'Save as a draft that only you see until you submit a review'],
    ],
    async run(call) {
      const [build = '', text] = call.args;
      const { options, signal } = call;
      const line = options.count('line');
      const path = options.text('path');
      if (line !== undefined && path === undefined)
        throw misuse('--line needs --path', 'Pass --path <path> too.');
      const build_id = await findBuildId(call, build);
      const body = text === undefined || text === '-' ? await readPiped(signal) : text;
      const fields = given({
        build_id,
        path,
        line,
        side: options.flag('old') ? ('old' as const) : undefined,
        reply_to: options.text('reply'),
        draft: options.flag('draft') || undefined,
        body,
      });
      const comment = await call.service().client.addBuildComment(fields, { signal });
      call.out.done(
        comment,
        comment.draft ? 'Saved as a draft. Your review sends it.' : `Commented on ${build}.`,
      );
    },
  },
];
