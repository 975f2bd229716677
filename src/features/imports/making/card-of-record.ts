import type { ActorIds } from '../../../kernel/actors.js';
import type { ArrivingCard } from '../../boards/index.js';
import type { ImportRecord, RecordComment, Someone, Source } from '../readers/record.js';

export interface CardContext {
  source: Source;
  by: ActorIds;
  byAdmin: boolean;
  find(someone: Someone | null): { user_id: number; full_name: string } | undefined;
  places: ReadonlyMap<string, ArrivingCard['place']>;
  now: Date;
}

const SOURCE_NAMES: Record<Source, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  linear: 'Linear',
  jira: 'Jira',
  trello: 'Trello',
  csv: 'a file',
};

const MOST_BLOCKERS = 100;

/** Anyone can open issues on these hosts, so their issues are marked as written by guests. */
const isOpenHost = (source: Source): boolean => source === 'github' || source === 'gitlab';

interface CardLinks {
  cardId: string;
  parentId: string | null;
  blockerIds: string[];
  /** The parent's key in the source, when the parent is not imported. */
  unlinkedParent: string | null;
  unlinkedBlockers: string[];
}

/** Values without a field are appended to the card's text, so that nothing is lost. */
export function cardOfRecord(record: ImportRecord, links: CardLinks, context: CardContext): ArrivingCard {
  const { cardId, parentId, blockerIds } = links;
  const { source, find, places, now } = context;
  const assignee = find(record.assignee);
  const reporter = find(record.reporter);
  const place = record.state === null ? undefined : places.get(record.state);
  const watchers = new Map(
    [...record.others, ...record.watchers].flatMap((someone) => {
      const person = find(someone);
      return person && person.user_id !== assignee?.user_id ? [[person.user_id, person.full_name]] : [];
    }) as [number, string][],
  );
  const createdAt = earlier(record.createdAt, now);
  const completedAt = earlier(record.completedAt, now);
  return {
    cardId,
    values: {
      title: record.title,
      instructions: [record.body, footer(record, links, context)].filter(Boolean).join('\n\n'),
      labels: record.labels,
      source,
      ...(record.priority !== null && { priority: record.priority }),
      ...(assignee && { assignee: { user_id: assignee.user_id, name: assignee.full_name } }),
      ...(reporter && { reporter: { user_id: reporter.user_id, name: reporter.full_name } }),
      ...(watchers.size > 0 && { watchers: [...watchers].map(([user_id, name]) => ({ user_id, name })) }),
      ...(parentId !== null && { parent_id: parentId }),
      ...(blockerIds.length > 0 && { blocked_by: blockerIds.slice(0, MOST_BLOCKERS).sort() }),
      ...(record.dueAt !== null && { due_at: record.dueAt }),
      ...(record.estimate !== null && { estimate_points: record.estimate }),
      ...(record.url !== null && { external_url: record.url }),
      ...(record.archived && { archived: true }),
      ...(record.checklist && {
        checklist_done: record.checklist.done,
        checklist_total: record.checklist.total,
      }),
    },
    ...(place && { place }),
    ...(createdAt && { createdAt }),
    ...(completedAt && { completedAt }),
    comments: record.comments.map((comment) => commentOf(comment, context)),
    byGuest: isOpenHost(source) && !reporter,
  };
}

const earlier = (text: string | null, now: Date): string | undefined =>
  text !== null && new Date(text) < now ? text : undefined;

function footer(
  record: ImportRecord,
  { unlinkedParent, unlinkedBlockers }: CardLinks,
  { source, find }: CardContext,
): string {
  const [key] = record.keys;
  const from = key !== undefined && !/^https?:/i.test(key) && source !== 'trello' ? ` (${plain(key)})` : '';
  const strangers = (people: readonly (Someone | null)[]) =>
    people.flatMap((someone) => (someone && !find(someone) ? plain(someone.name) : []));
  const say = (words: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${words} ${names.join(', ')}`];
  const facts = [
    ...say('reported by', strangers([record.reporter])),
    ...say('assigned to', strangers([record.assignee])),
    ...say('also assigned to', strangers(record.others)),
    ...say('watched by', strangers(record.watchers)),
    ...say('below', unlinkedParent === null ? [] : [plain(unlinkedParent)]),
    ...say('blocked by', unlinkedBlockers.map(plain)),
    ...record.notes.map(plain),
  ];
  if (facts.length === 0) return '';
  return `_From ${SOURCE_NAMES[source]}${from}: ${facts.join('; ')}._`;
}

function commentOf({ author, at, body }: RecordComment, { by, byAdmin, find, now }: CardContext) {
  const person = find(author);
  const time = earlier(at, now);
  if (person && (byAdmin || person.user_id === by.userId))
    return { author: { userId: person.user_id, agentId: null }, at: time ?? now.toISOString(), body };
  const when = time ? ` on ${time.slice(0, 16).replace('T', ' ')} UTC` : '';
  const said = author || when ? `**${plain(author?.name ?? 'Somebody')}** wrote${when}:\n\n${body}` : body;
  return { author: by, at: time ?? now.toISOString(), body: said };
}

const plain = (text: string): string => text.replace(/[\\`*_[\]<>#|~]/g, '\\$&');
