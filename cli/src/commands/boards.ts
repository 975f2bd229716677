import type { Board } from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { misuse } from '../failure.js';
import { getBoardId, listBoards } from '../find.js';
import { given } from '../options.js';
import { confirmDeletion } from '../prompt.js';

const columns = [
  { title: 'key', of: (board: Board) => board.key },
  { title: 'name', of: (board: Board) => board.name },
  { title: 'type', of: (board: Board) => board.board_type },
  { title: 'columns', of: (board: Board) => board.columns.map(({ name }) => name) },
  { title: 'id', of: (board: Board) => board.board_id },
];

/** Parses `Doing=in_progress`. */
function readColumn(text: string) {
  const [name = '', status] = text.split('=');
  if (!status)
    throw misuse(
      `--column must have the form <name>=<status>, not ${text}`,
      'For example: --column Doing=in_progress',
    );
  return { name, status: status as Board['columns'][number]['status'] };
}

export const boards: Group = {
  name: 'boards',
  about: 'Manage boards',
  commands: [
    {
      use: 'list',
      about: 'List the boards that you can open.',
      examples: ['guildhall boards', 'guildhall boards list --json board_id,name'],
      run: async (call) =>
        call.out.list(
          await listBoards(call),
          columns,
          'No boards yet. Create one with: guildhall boards create "Engineering"',
        ),
    },
    {
      use: 'show [board]',
      about: 'Show a board, by key, name or id. Defaults to the board of the checkout.',
      examples: ['guildhall boards show ENG'],
      async run(call) {
        const board_id = await getBoardId(call, call.args[0]);
        const board = await call.service().client.getBoard({ board_id }, { signal: call.signal });
        call.out.record(board, [
          ['key', board.key],
          ['name', board.name],
          ['type', board.board_type],
          ['columns', board.columns.map(({ name, status }) => `${name} (${status})`)],
          ['id', board.board_id],
          ['created', board.created_at],
        ]);
      },
    },
    {
      use: 'create <name>',
      about: 'Create a board.',
      examples: ['guildhall boards create Engineering', 'guildhall boards create Sales --type crm'],
      options: [
        ['--type <type>', 'The board type: build, crm or general; default: build'],
        ['--column <name=status>...', 'A column, from left to right; default: the columns of the board type'],
      ],
      async run({ args, options, out, service, signal }) {
        const board = await service().client.createBoard(
          given({
            name: args[0]!,
            board_type: options.text('type') as Board['board_type'] | undefined,
            columns: options.many('column')?.map(readColumn),
          }),
          { signal },
        );
        out.done(board, `Created board ${board.name} (${board.key}, ${board.board_id})`);
      },
    },
    {
      use: 'rename <board> <name>',
      about: 'Rename a board.',
      examples: ['guildhall boards rename ENG Platform'],
      async run(call) {
        const board_id = await getBoardId(call, call.args[0]);
        const board = await call
          .service()
          .client.updateBoard({ board_id, name: call.args[1]! }, { signal: call.signal });
        call.out.done(board, `Renamed the board to ${board.name}.`);
      },
    },
    {
      use: 'export [board]',
      about: 'Print a board with its cards as Markdown.',
      examples: ['guildhall boards export ENG > board.md'],
      options: [
        ['--detail <detail>', 'The level of detail: summary, standard or full'],
        ['--columns <names>', 'Only these columns, separated by commas'],
      ],
      plain: true,
      async run(call) {
        const board_id = await getBoardId(call, call.args[0]);
        const { options, signal } = call;
        const text = await call.service().client.exportBoard(
          given({
            board_id,
            detail: options.text('detail') as 'summary' | 'standard' | 'full' | undefined,
            columns: options.text('columns'),
          }),
          { signal },
        );
        call.out.document(typeof text === 'string' ? text : await (text as Blob).text());
      },
    },
    {
      use: 'delete <board>',
      about: 'Delete a board and all its cards.',
      examples: ['guildhall boards delete OLD --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const board_id = await getBoardId(call, call.args[0]);
        await confirmDeletion(`Delete board ${call.args[0]} and all its cards?`, call.options.flag('yes'));
        await call.service().client.deleteBoard({ board_id }, { signal: call.signal });
        call.out.done({ board_id, deleted: true }, `Deleted board ${call.args[0]}.`);
      },
    },
  ],
};
