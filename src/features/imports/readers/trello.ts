import { LOSSES } from './losses.js';
import { type ReadRow, type RecordComment, type Someone, tidyRecord, UnreadableExport } from './record.js';
import { asList, asNumber, asObject, asText, asTime, type Draft, writeLink } from './values.js';

interface Board {
  lists: Map<string, { name: string; closed: boolean }>;
  members: Map<string, Someone>;
  labels: Map<string, string>;
  checklists: Map<string, Record<string, unknown>[]>;
  comments: Map<string, RecordComment[]>;
}

/** A board as Trello exports it: lists are states, checklists become part of the text. */
export function* readTrello(text: string): Generator<ReadRow> {
  const whole = asObject(parse(text));
  if (!Array.isArray(whole['cards']))
    throw new UnreadableExport('The file has no cards: it is not the export of a board');
  const board = readBoard(whole);
  for (const [index, value] of whole['cards'].entries()) {
    const record = tidyRecord(toDraft(asObject(value), board));
    yield typeof record === 'string' ? { row: index + 1, reason: record } : { row: index + 1, record };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableExport(`The file is not valid JSON: ${(error as Error).message.slice(0, 120)}`);
  }
}

function readBoard(whole: Record<string, unknown>): Board {
  const objects = (name: string) => asList(whole[name]).map(asObject);
  const idOf = (value: Record<string, unknown>) => asText(value['id']) ?? '';
  return {
    lists: new Map(
      objects('lists').map((list) => [
        idOf(list),
        { name: asText(list['name']) ?? '', closed: list['closed'] === true },
      ]),
    ),
    members: new Map(objects('members').map((member) => [idOf(member), personOf(member)])),
    labels: new Map(
      objects('labels').map((label) => [idOf(label), asText(label['name']) ?? asText(label['color']) ?? '']),
    ),
    checklists: groupBy(objects('checklists'), (list) => asText(list['idCard']) ?? ''),
    comments: readComments(objects('actions')),
  };
}

/** Actions come newest first. */
function readComments(actions: Record<string, unknown>[]): Board['comments'] {
  const said = actions.filter(({ type }) => type === 'commentCard').reverse();
  const grouped = groupBy(said, ({ data }) => asText(asObject(asObject(data)['card'])['id']) ?? '');
  return new Map(
    [...grouped].map(([card, comments]) => [
      card,
      comments.map(({ data, date, memberCreator }) => ({
        author: memberCreator ? personOf(asObject(memberCreator)) : null,
        at: asTime(date),
        body: asText(asObject(data)['text']) ?? '',
      })),
    ]),
  );
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

const personOf = (member: Record<string, unknown>): Someone => ({
  name: asText(member['fullName']) ?? asText(member['username']) ?? '',
  email: asText(member['email']),
  login: asText(member['username']),
});

function toDraft(card: Record<string, unknown>, board: Board): Draft {
  const id = asText(card['id']) ?? '';
  const list = board.lists.get(asText(card['idList']) ?? '');
  const memberIds = asList(card['idMembers']).map((member) => asText(member) ?? '');
  const [first, ...others] = memberIds.flatMap((member) => board.members.get(member) ?? []);
  const items = (board.checklists.get(id) ?? []).flatMap((each) => asList(each['checkItems']).map(asObject));
  const url = asText(card['shortUrl']) ?? asText(card['url']);
  const attachments = asList(card['attachments']).map(asObject);
  const comments = board.comments.get(id) ?? [];
  const badges = asObject(card['badges']);
  return {
    keys: [id, url ?? ''].filter((key) => key !== ''),
    url,
    title: asText(card['name']) ?? '',
    body: [
      asText(card['desc']) ?? '',
      ...(board.checklists.get(id) ?? []).map(writeChecklist),
      writeAttachments(attachments),
    ]
      .join('\n\n')
      .trim(),
    state: list?.name ?? null,
    archived: card['closed'] === true || list?.closed === true,
    labels: labelsOf(card, board),
    assignee: first ?? null,
    dueAt: asTime(card['due']),
    createdAt: madeAt(id),
    completedAt: card['dueComplete'] === true ? asTime(card['dateLastActivity']) : null,
    checklist:
      items.length === 0
        ? null
        : { done: items.filter(({ state }) => state === 'complete').length, total: items.length },
    comments,
    others,
    lost: [
      ...(attachments.length > 0 ? [LOSSES.attachments] : []),
      ...((asNumber(badges['comments']) ?? 0) > comments.length ? [LOSSES.olderComments] : []),
      ...(memberIds.every((member) => board.members.has(member)) ? [] : [LOSSES.formerMembers]),
      ...(asList(card['customFieldItems']).length > 0 ? [LOSSES.customFields] : []),
      ...(asList(card['idMembersVoted']).length > 0 ? [LOSSES.votes] : []),
      ...(items.some(({ due, idMember }) => asText(due) ?? asText(idMember))
        ? [LOSSES.checklistDetails]
        : []),
    ],
  };
}

/** The files stay where they are; who may see them there still finds them. */
function writeAttachments(attachments: readonly Record<string, unknown>[]): string {
  if (attachments.length === 0) return '';
  return [
    '### Attachments',
    '',
    ...attachments.map((file) => writeLink(asText(file['name']), asText(file['url']))),
  ].join('\n');
}

function labelsOf(card: Record<string, unknown>, board: Board): string[] {
  const own = asList(card['labels']).map(asObject);
  if (own.length > 0) return own.map((label) => asText(label['name']) ?? asText(label['color']) ?? '');
  return asList(card['idLabels']).map((label) => board.labels.get(asText(label) ?? '') ?? '');
}

function writeChecklist(checklist: Record<string, unknown>): string {
  const items = asList(checklist['checkItems'])
    .map(asObject)
    .map(
      ({ name, state }) =>
        `- [${state === 'complete' ? 'x' : ' '}] ${(asText(name) ?? '').replace(/\s+/g, ' ')}`,
    );
  return [`### ${asText(checklist['name']) ?? 'Checklist'}`, '', ...items].join('\n');
}

/** The first eight digits of an id are the second of its making. */
function madeAt(id: string): string | null {
  return /^[0-9a-f]{24}$/.test(id)
    ? new Date(Number.parseInt(id.slice(0, 8), 16) * 1000).toISOString()
    : null;
}
