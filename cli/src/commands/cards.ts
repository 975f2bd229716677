import type { ActivityEntry, Card, UpdateTaskArguments } from '../../../client/src/index.js';
import type { Call, Group } from '../command.js';
import { readDue } from '../due.js';
import { misuse } from '../failure.js';
import {
  collect,
  eachCard,
  findBoardId,
  findCardId,
  findProjectId,
  getBoardId,
  listBoards,
} from '../find.js';
import { readPiped } from '../input.js';
import { given } from '../options.js';
import { cleanLine, cleanText } from '../output/clean.js';
import { cellText } from '../output/table.js';
import { findPersonId } from '../people.js';
import { confirmDeletion } from '../prompt.js';
import { fileCommands } from './card-files.js';

type Listed = Pick<Card, 'id' | 'ref' | 'title' | 'status' | 'column'> & Partial<Card>;

const columns = [
  { title: 'ref', of: (card: Listed) => card.ref },
  { title: 'status', of: (card: Listed) => card.status },
  { title: 'column', of: (card: Listed) => card.column.name },
  { title: 'title', of: (card: Listed) => card.title },
  { title: 'assignee', of: (card: Listed) => card.assignee?.name ?? card.assignee_agent_id },
];

const BOARD: [string, string] = [
  '--board <board>',
  'The board, by key, name or id; default: board_id in guildhall.json',
];
const PROJECT: [string, string] = [
  '--project <project>',
  'The project, by name or id; default: the project of the checkout',
];

/** The options that `create` and `edit` share. */
const FIELDS: [string, string][] = [
  ['--instructions <text>', 'The instructions; - reads standard input'],
  ['--type <type>', 'The task type: coding, docs, research, design or test'],
  ['--column <column>', 'The column, by name'],
  ['--status <status>', 'The status: pending, in_progress, in_review, blocked, done or canceled'],
  ['--priority <priority>', 'The priority, such as low, normal or high'],
  ['--label <label>...', 'A label; replaces all labels of the card'],
  ['--assignee <person>', 'The assignee: a name, an email address, a user_id or me; none clears it'],
  ['--agent <agent>', 'The assigned agent; none clears it'],
  ['--due <day>', 'The due date: tomorrow, friday, +3d, 2026-12-01; none clears it'],
  ['--branch <branch>', 'The branch with the work'],
  ['--set <field=json>...', 'Any other field, such as --set estimate_points=3'],
];

const orNone = (text: string | undefined) => (text === 'none' ? null : text);

async function readFields(call: Call): Promise<Record<string, unknown>> {
  const { options } = call;
  const assignee = orNone(options.text('assignee'));
  const due = orNone(options.text('due'));
  return given({
    instructions: await options.long('instructions'),
    task_type: options.text('type'),
    column: options.text('column'),
    status: options.text('status'),
    priority: options.text('priority'),
    labels: options.many('label'),
    assignee: typeof assignee === 'string' ? await findPersonId(call, assignee) : assignee,
    assignee_agent_id: orNone(options.text('agent')),
    due_at: typeof due === 'string' ? readDue(due) : due,
    branch: options.text('branch'),
    ...Object.fromEntries((options.many('set') ?? []).map(readPair)),
  });
}

/** Parses `field=value`, where the value is JSON or else plain text. */
export function readPair(pair: string): [string, unknown] {
  const at = pair.indexOf('=');
  if (at < 1) throw misuse(`${JSON.stringify(pair)} is not <field>=<value>`);
  const value = pair.slice(at + 1);
  try {
    return [pair.slice(0, at), JSON.parse(value)];
  } catch {
    return [pair.slice(0, at), value];
  }
}

/** Lists the cards of the given board, else of the checkout's project, else of all boards. */
async function* findCards(call: Call): AsyncGenerator<Listed> {
  const { options, signal } = call;
  const board = await findBoardId(call);
  if (board !== undefined) return yield* eachCard(call, board);
  const project = options.flag('all') ? undefined : await findProjectId(call);
  if (project === undefined) {
    const status = options.text('status') as Card['status'] | undefined;
    return yield* call.service().client.iterate('findTasks', given({ status }), { signal });
  }
  for (const { board_id } of await listBoards(call))
    for await (const card of eachCard(call, board_id)) if (card.project_id === project) yield card;
}

function show(call: Call, card: Card & { instructions?: string | null; result?: string | null }): void {
  const body = [card.instructions, card.result && `Result:\n${card.result}`].filter(Boolean).join('\n\n');
  call.out.record(
    card,
    [
      ['card', card.ref],
      ['title', card.title],
      ['status', card.status],
      ['column', card.column.name],
      ['board', card.board],
      ['type', card.task_type],
      ['priority', card.priority],
      ['labels', card.labels],
      ['assignee', card.assignee?.name ?? card.assignee_agent_id],
      ['due', card.due_at],
      ['branch', card.branch],
      ['pull request', card.pr_url],
      ['comments', card.comment_count || undefined],
      ['attachments', card.attachment_count || undefined],
      ['id', card.id],
      ['updated', card.updated_at],
    ],
    body,
  );
}

function describeEntry({ created_at, action, ref, actor, changes }: ActivityEntry): string {
  const what = Object.entries(changes)
    .map(([field, { to }]) => `${field}: ${cellText(to)}`)
    .join(', ');
  return cleanLine([created_at, action, ref, actor?.name, what].filter(Boolean).join('  '));
}

export const cards: Group = {
  name: 'cards',
  about: 'Manage cards',
  commands: [
    {
      use: 'list',
      about: "List the cards of a board, of the checkout's project, or of all boards.",
      examples: [
        'guildhall cards list',
        'guildhall cards list --board ENG --status in_progress --json ref,title',
      ],
      options: [
        BOARD,
        PROJECT,
        ['--status <status>', 'Only cards with this status'],
        ['--column <column>', 'Only cards in this column'],
        ['--all', 'Include all boards and projects'],
        ['--limit <n>', 'Maximum number'],
      ],
      async run(call) {
        const status = call.options.text('status');
        const column = call.options.text('column')?.toLowerCase();
        const most = call.options.count('limit') ?? Number.POSITIVE_INFINITY;
        const found: Listed[] = [];
        let isPart = false;
        for await (const card of findCards(call)) {
          if (status !== undefined && card.status !== status) continue;
          if (column !== undefined && card.column.name.toLowerCase() !== column) continue;
          isPart = found.length >= most;
          if (isPart) break;
          found.push(card);
        }
        call.out.list(
          found,
          columns,
          'No cards found. Create one with: guildhall cards create "Write the notes"',
        );
        if (isPart) call.out.part(found.length, undefined, '--limit');
      },
    },
    {
      use: 'show <card>',
      about: 'Show a card and its instructions, by ref or id.',
      examples: ['guildhall cards show ENG-12'],
      options: [['--comments', 'Include the comments']],
      async run(call) {
        const { client } = call.service();
        const task_id = await findCardId(call, call.args[0]!);
        const { signal } = call;
        const card = (await client.getTask({ task_id }, { signal })) as Card;
        if (!call.options.flag('comments')) return show(call, card);
        const comments = await collect(client.iterate('listComments', { task_id }, { signal }));
        show(call, { ...card, comments } as Card);
        if (call.out.isData) return;
        for (const { author, created_at, body } of comments)
          call.out.text(
            cleanText(`\n${author?.name ?? 'A former member'}, ${created_at}:\n${body.trimEnd()}\n`),
          );
      },
    },
    {
      use: 'create <title>',
      about: "Create a card. In a checkout, it belongs to the checkout's project.",
      examples: [
        'guildhall cards create "Round invoices half up" --board ENG',
        'guildhall cards create "Write the notes" --instructions - < notes.md',
      ],
      options: [BOARD, PROJECT, ...FIELDS],
      async run(call) {
        const board_id = await getBoardId(call);
        const project_id = await findProjectId(call);
        const fields = { ...(await readFields(call)), ...given({ project_id }) };
        const card = await call
          .service()
          .client.createTask({ board_id, title: call.args[0]!, ...fields }, { signal: call.signal });
        call.out.done(card, `Created ${card.ref}: ${card.title}`);
      },
    },
    {
      use: 'move <card> <column>',
      about: 'Move a card to another column.',
      examples: ['guildhall cards move ENG-12 "In Review"'],
      async run(call) {
        const [card = '', column = ''] = call.args;
        const task_id = await findCardId(call, card);
        const moved = await update(call, { task_id, column });
        call.out.done(moved, `Moved ${moved.ref} to ${moved.column.name}.`);
      },
    },
    {
      use: 'edit <card>',
      about: 'Edit the fields of a card.',
      examples: [
        'guildhall cards edit ENG-12 --priority high --label billing',
        'guildhall cards edit ENG-12 --set estimate_points=3',
      ],
      options: [['--title <title>', 'The title'], PROJECT, ...FIELDS],
      async run(call) {
        const named = call.options.text('project') === undefined ? undefined : await findProjectId(call);
        const fields = {
          ...(await readFields(call)),
          ...given({ title: call.options.text('title'), project_id: named }),
        };
        if (Object.keys(fields).length === 0)
          throw misuse('No changes given', 'Pass at least one field, such as --title or --status.');
        const task_id = await findCardId(call, call.args[0]!);
        const card = await update(call, { task_id, ...fields });
        call.out.done(card, `Updated ${Object.keys(fields).join(', ')} of ${card.ref}.`);
      },
    },
    {
      use: 'comment <card> [text]',
      about: 'Comment on a card. Without text, reads it from standard input.',
      examples: ['guildhall cards comment ENG-12 "Reproduced on main."'],
      async run(call) {
        const [card = '', text] = call.args;
        const task_id = await findCardId(call, card);
        const body = text === undefined || text === '-' ? await readPiped(call.signal) : text;
        const comment = await call.service().client.addComment({ task_id, body }, { signal: call.signal });
        call.out.done(comment, `Commented on ${card}.`);
      },
    },
    ...fileCommands,
    {
      use: 'watch',
      about: "Stream a board's activity until you stop the command. Reconnects without missing an entry.",
      examples: ['guildhall cards watch --board ENG', 'guildhall cards watch --json ref,action'],
      options: [
        BOARD,
        ['--count <n>', 'Stop after this many entries'],
        ['--since <cursor>', 'Start after this cursor'],
      ],
      async run(call) {
        const board_id = await getBoardId(call);
        const count = call.options.count('count') ?? Number.POSITIVE_INFINITY;
        const since = call.options.text('since');
        let seen = 0;
        const onState = (state: string) =>
          call.out.isTerminal &&
          call.out.note(state === 'open' ? 'Watching …' : 'Connection lost. Reconnecting …');
        for await (const { data } of call
          .service()
          .client.stream('streamBoardActivity', given({ board_id, since }), {
            signal: call.signal,
            onState,
          })) {
          call.out.event(data, describeEntry(data));
          if (++seen >= count) return;
        }
      },
    },
    {
      use: 'delete <card>',
      about: 'Delete a card.',
      examples: ['guildhall cards delete ENG-12 --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const task_id = await findCardId(call, call.args[0]!);
        await confirmDeletion(`Delete ${call.args[0]}?`, call.options.flag('yes'));
        await call.service().client.deleteTask({ task_id }, { signal: call.signal });
        call.out.done({ task_id, deleted: true }, `Deleted ${call.args[0]}.`);
      },
    },
  ],
};

async function update({ service, signal }: Call, fields: UpdateTaskArguments): Promise<Card> {
  const { client } = service();
  await client.updateTask(fields, { signal });
  return (await client.getTask({ task_id: fields.task_id }, { signal })) as Card;
}
