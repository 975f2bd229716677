import type {
  CreatedMemory,
  CreateMemoryArguments,
  FoundMemories,
  ListMemoriesArguments,
  Memory,
  MemoryHistory,
  UpdateMemoryArguments,
} from '../../../client/src/index.js';
import type { Call, Group } from '../command.js';
import { misuse } from '../failure.js';
import { getAgentId } from '../find.js';
import { readPiped } from '../input.js';
import { given } from '../options.js';
import { confirmDeletion } from '../prompt.js';

type Found = FoundMemories['memories'][number];
type Entry = MemoryHistory['entries'][number];

const USUALLY_LISTED = 30;
const MOST_A_PAGE = 200;

const AGENT: [string, string] = [
  '--agent <agent>',
  'The agent; default: GUILDHALL_AGENT, or agent_id in guildhall.json',
];
const KINDS: [string, string] = [
  '--kind <kind>...',
  'Only this kind: decision, learning, pattern, preference or fact',
];
const LIMIT: [string, string] = ['--limit <n>', 'Maximum number'];

const columns = [
  { title: 'kind', of: (memory: Found) => memory.kind },
  { title: 'title', of: (memory: Found) => memory.title },
  { title: 'body', of: (memory: Found) => memory.body },
  { title: 'confidence', of: (memory: Found) => memory.confidence.toFixed(2) },
  { title: 'id', of: (memory: Found) => memory.id },
];

const listColumns = [
  { title: 'status', of: (memory: Memory) => memory.status },
  { title: 'kind', of: (memory: Memory) => memory.kind },
  { title: 'title', of: (memory: Memory) => memory.title },
  { title: 'confidence', of: (memory: Memory) => memory.confidence.toFixed(2) },
  { title: 'importance', of: (memory: Memory) => memory.importance },
  { title: 'changed', of: (memory: Memory) => memory.updated_at },
  { title: 'id', of: (memory: Memory) => memory.id },
];

const historyColumns = [
  { title: 'at', of: (entry: Entry) => entry.at },
  { title: 'action', of: (entry: Entry) => entry.action },
  { title: 'actor', of: (entry: Entry) => entry.actor?.name ?? 'Guildhall' },
  { title: 'changes', of: (entry: Entry) => sayChanges(entry) },
];

const LONGEST_VALUE = 60;

const sayValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
};

const sayChanges = ({ changes }: Entry): string =>
  Object.entries(changes)
    .map(([field, { from, to }]) => `${field}: ${sayValue(from)} → ${sayValue(to)}`)
    .join('; ');

/** Shows memories that the new one may repeat or contradict, and how to resolve that. */
function describeSimilar({ out }: Call, { id, similar = [] }: CreatedMemory): void {
  if (out.isData || similar.length === 0) return;
  out.note('The agent already has similar memories:');
  for (const { memory_id, title, similarity } of similar)
    out.note(`  ${similarity.toFixed(2)}  ${title} (${memory_id})`);
  out.note(
    `To replace an outdated memory, run: guildhall memory correct ${id} --supersedes <id>. To delete the new one, run: guildhall memory forget ${id}`,
  );
}

const question = async (call: Call) => {
  const kinds = call.options.many('kind') as ('decision' | 'learning')[] | undefined;
  const fields = { agent_id: await getAgentId(call), kinds, limit: call.options.whole('limit') };
  return given({ ...fields, query: call.args.join(' ') || undefined });
};

export const memory: Group = {
  name: 'memory',
  about: 'Manage the memory of agents',
  commands: [
    {
      use: 'search [words...]',
      about: 'Search the memories of an agent. Without words, shows the most important ones.',
      examples: ['guildhall memory search invoice rounding --agent claude-billing'],
      options: [AGENT, KINDS, LIMIT],
      async run(call) {
        const { memories } = await call
          .service()
          .client.searchMemories(await question(call), { signal: call.signal });
        call.out.list(memories, columns, 'No matching memories.');
      },
    },
    {
      use: 'recall <question...>',
      about: 'Recall the memories that matter for a question, most relevant first.',
      examples: ['guildhall memory recall "how do we round invoices?"'],
      options: [AGENT, KINDS, LIMIT],
      async run(call) {
        const { memories } = await call
          .service()
          .client.recallMemories(await question(call), { signal: call.signal });
        call.out.list(memories, columns, 'No matching memories.');
      },
    },
    {
      use: 'list',
      about: 'List the memories of an agent, most recently changed first.',
      examples: [
        'guildhall memory list --agent claude-billing',
        'guildhall memory list --status archived --json id,title',
      ],
      options: [
        AGENT,
        ['--status <status>', 'The status: active, archived or merged; default: active'],
        ['--kind <kind>', 'Only this kind: decision, learning, pattern, preference, fact or summary'],
        ['--stale', 'Only memories not verified for 30 days'],
        ['--words <words>', 'Only memories that contain this text'],
        ['--limit <n>', 'Maximum number; default 30'],
        ['--all', 'Show all memories'],
      ],
      async run(call) {
        const { options, out, signal } = call;
        const fields = given({
          agent_id: await getAgentId(call),
          status: (options.text('status') ?? 'active') as ListMemoriesArguments['status'],
          kind: options.text('kind') as ListMemoriesArguments['kind'],
          stale: options.flag('stale') || undefined,
          query: options.text('words'),
        });
        const most = options.flag('all')
          ? Number.POSITIVE_INFINITY
          : (options.count('limit') ?? USUALLY_LISTED);
        const found: Memory[] = [];
        let cursor: string | undefined;
        let total = 0;
        do {
          const limit = Math.min(most, MOST_A_PAGE);
          const page = await call
            .service()
            .client.listMemories(given({ ...fields, limit, cursor }), { signal });
          total = page.total;
          found.push(...page.memories);
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined && found.length < most);
        out.list(found.slice(0, most), listColumns, 'No memories yet.');
        out.part(Math.min(found.length, most), total, '--all or --limit');
      },
    },
    {
      use: 'history <memory>',
      about: 'Show the history of a memory, newest first.',
      examples: ['guildhall memory history 3f0c1f0e-6f0e-4c39-9a55-0d7a4a3f7f10'],
      async run({ args, out, service, signal }) {
        const { entries, total } = await service().client.listMemoryHistory(
          { memory_id: args[0]! },
          { signal },
        );
        out.list(entries, historyColumns);
        out.part(entries.length, total, 'older entries are not listed');
      },
    },
    {
      use: 'show <memory>',
      about: 'Show a memory with all its details.',
      examples: ['guildhall memory show 3f0c1f0e-6f0e-4c39-9a55-0d7a4a3f7f10'],
      async run({ args, out, service, signal }) {
        const found = await service().client.getMemory({ memory_id: args[0]! }, { signal });
        out.record(
          found,
          [
            ['title', found.title],
            ['kind', found.kind],
            ['agent', found.agent_id],
            ['status', found.status],
            ['replaced by', found.superseded_by],
            ['confidence', found.confidence],
            ['importance', found.importance],
            ['tags', found.tags],
            ['caveat', found.stale_caveat],
            ['verified', found.last_verified_at],
            ['id', found.id],
          ],
          found.body,
        );
      },
    },
    {
      use: 'add <title> [body]',
      about:
        'Add a memory and list similar ones. A body of - reads standard input; without a body, the title is used.',
      examples: [
        'guildhall memory add "Invoices round half up" "The tax office asks for it." --kind decision',
        'guildhall memory add "Invoices round half to even" --supersedes 3f0c1f0e-6f0e-4c39-9a55-0d7a4a3f7f10',
      ],
      options: [
        AGENT,
        ['--kind <kind>', 'The kind: decision, learning, pattern, preference or fact; default: learning'],
        ['--tag <tag>...', 'A tag'],
        ['--importance <importance>', 'The importance: low, normal, high or critical'],
        ['--supersedes <memory>...', 'A memory to replace, which is then archived'],
      ],
      async run(call) {
        const { options, signal, out } = call;
        const [title = '', body] = call.args;
        const fields = given({
          agent_id: await getAgentId(call),
          title,
          body: body === '-' ? await readPiped(signal) : (body ?? title),
          kind: (options.text('kind') ?? 'learning') as CreateMemoryArguments['kind'],
          tags: options.many('tag'),
          importance: options.text('importance') as CreateMemoryArguments['importance'],
          supersedes: options.many('supersedes'),
          similar: true,
        });
        const made = await call.service().client.createMemory(fields as CreateMemoryArguments, { signal });
        out.done(made, `Added memory for ${made.agent_id}: ${made.title} (${made.id})`);
        describeSimilar(call, made);
      },
    },
    {
      use: 'correct <memory>',
      about: 'Correct a memory. Without changes, marks it as verified.',
      examples: [
        'guildhall memory correct 3f0c1f0e-6f0e-4c39-9a55-0d7a4a3f7f10 --body "Half to even since May."',
      ],
      options: [
        ['--title <title>', 'The title'],
        ['--body <text>', 'The body; - reads standard input'],
        ['--kind <kind>', 'The kind'],
        ['--tag <tag>...', 'Replace all tags'],
        ['--importance <importance>', 'The importance: low, normal, high or critical'],
        ['--supersedes <memory>...', 'A memory to replace, which is then archived'],
        ['--archive', 'Archive the memory, which removes it from search'],
        ['--restore', 'Restore an archived memory'],
      ],
      async run({ args, options, out, service, signal }) {
        const archived = options.either('archive', 'restore');
        const fields = given({
          memory_id: args[0]!,
          title: options.text('title'),
          body: await options.long('body'),
          kind: options.text('kind'),
          tags: options.many('tag'),
          importance: options.text('importance'),
          status: archived === undefined ? undefined : archived ? 'archived' : 'active',
          supersedes: options.many('supersedes'),
        });
        const made = await service().client.updateMemory(fields as UpdateMemoryArguments, { signal });
        out.done(made, `Updated memory: ${made.title}`);
      },
    },
    {
      use: 'forget <memory>',
      about: 'Delete a memory permanently.',
      examples: ['guildhall memory forget 3f0c1f0e-6f0e-4c39-9a55-0d7a4a3f7f10 --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run({ args, options, out, service, signal }) {
        const memory_id = args[0] ?? '';
        if (!memory_id) throw misuse('Missing memory id');
        const client = service().client;
        await confirmDeletion(`Delete memory ${memory_id} permanently?`, options.flag('yes'));
        await client.deleteMemory({ memory_id }, { signal });
        out.done({ memory_id, forgotten: true }, `Deleted memory ${memory_id}.`);
      },
    },
    {
      use: 'agents',
      about: 'List the agents that have memories in the workspace.',
      examples: ['guildhall memory agents'],
      async run({ out, service, signal }) {
        const { agents } = await service().client.listAgents({}, { signal });
        out.list(agents, [
          { title: 'agent', of: (agent) => agent.agent_id },
          { title: 'name', of: (agent) => agent.name },
        ]);
      },
    },
  ],
};
