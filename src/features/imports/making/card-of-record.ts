import type { ActorIds } from '../../../kernel/actors.js';
import type { ArrivingCard } from '../../boards/boards.service.js';
import type { ImportRecord, RecordComment, Someone, Source } from '../readers/record.js';

export interface Making {
  source: Source;
  by: ActorIds;
  /** An admin's import may speak in the name of others; anybody else's says who spoke. */
  byAdmin: boolean;
  people: ReadonlyMap<string, { user_id: number; full_name: string }>;
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

/** Hosts are open to whoever passes by: what their issues say is nobody's here. */
const isOpenHost = (source: Source): boolean => source === 'github' || source === 'gitlab';

/** The card that a record becomes. What no field can take stands at the end of its text, so that nothing is lost. */
export function cardOfRecord(
  record: ImportRecord,
  { cardId, parentId }: { cardId: string; parentId: string | null },
  making: Making,
): ArrivingCard {
  const { source, people, places, now } = making;
  const find = (someone: Someone | null) => (someone?.email ? people.get(someone.email) : undefined);
  const assignee = find(record.assignee);
  const reporter = find(record.reporter);
  const place = record.state === null ? undefined : places.get(record.state);
  const createdAt = earlier(record.createdAt, now);
  const completedAt = earlier(record.completedAt, now);
  return {
    cardId,
    values: {
      title: record.title,
      instructions: [record.body, footer(record, source, { assignee, reporter })]
        .filter(Boolean)
        .join('\n\n'),
      labels: record.labels,
      source,
      ...(record.priority !== null && { priority: record.priority }),
      ...(assignee && { assignee: { user_id: assignee.user_id, name: assignee.full_name } }),
      ...(reporter && { reporter: { user_id: reporter.user_id, name: reporter.full_name } }),
      ...(parentId !== null && { parent_id: parentId }),
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
    comments: record.comments.map((comment) => commentOf(comment, making)),
    byGuest: isOpenHost(source) && !reporter,
  };
}

const earlier = (text: string | null, now: Date): string | undefined =>
  text !== null && new Date(text) < now ? text : undefined;

function footer(
  record: ImportRecord,
  source: Source,
  found: { assignee: unknown; reporter: unknown },
): string {
  const [key] = record.keys;
  const from = key !== undefined && !/^https?:/i.test(key) && source !== 'trello' ? ` (${plain(key)})` : '';
  const facts = [
    ...(record.reporter && !found.reporter ? [`reported by ${plain(record.reporter.name)}`] : []),
    ...(record.assignee && !found.assignee ? [`assigned to ${plain(record.assignee.name)}`] : []),
    ...record.notes.map(plain),
  ];
  if (facts.length === 0) return '';
  return `_From ${SOURCE_NAMES[source]}${from}: ${facts.join('; ')}._`;
}

function commentOf({ author, at, body }: RecordComment, { by, byAdmin, people, now }: Making) {
  const person = author?.email ? people.get(author.email) : undefined;
  const time = earlier(at, now);
  if (person && (byAdmin || person.user_id === by.userId))
    return { author: { userId: person.user_id, agentId: null }, at: time ?? now.toISOString(), body };
  const when = time ? ` on ${time.slice(0, 16).replace('T', ' ')} UTC` : '';
  const said = author || when ? `**${plain(author?.name ?? 'Somebody')}** wrote${when}:\n\n${body}` : body;
  return { author: by, at: time ?? now.toISOString(), body: said };
}

/** A name as it is, whatever marks of Markdown stand in it. */
const plain = (text: string): string => text.replace(/[\\`*_[\]<>#|~]/g, '\\$&');
