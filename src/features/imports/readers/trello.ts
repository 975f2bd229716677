import { type Draft, type DraftRow, type RecordComment, type Someone, UnreadableExport } from './record.js';
import { JsonValue, writeAttachments } from './values.js';

interface Board {
  lists: Map<string, JsonValue>;
  members: Map<string, Someone>;
  labels: Map<string, string>;
  checklists: Map<string, JsonValue[]>;
  comments: Map<string, RecordComment[]>;
}

/** Trello's board export: lists become states, checklists become part of the text. */
export function* readTrello(text: string): Generator<DraftRow> {
  const whole = new JsonValue(parse(text));
  if (!Array.isArray(whole.at('cards').raw))
    throw new UnreadableExport('The file has no cards: it is not the export of a board');
  const board = readBoard(whole);
  for (const [index, card] of whole.list('cards').entries())
    yield { row: index + 1, draft: toDraft(card, board) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableExport(`The file is not valid JSON: ${(error as Error).message.slice(0, 120)}`);
  }
}

function readBoard(whole: JsonValue): Board {
  const byId = <T>(name: string, read: (value: JsonValue) => T) =>
    new Map(whole.list(name).map((value) => [value.text('id') ?? '', read(value)]));
  // Trello lists actions newest first.
  const comments = whole
    .list('actions')
    .filter((action) => action.at('type').raw === 'commentCard')
    .reverse();
  return {
    lists: byId('lists', (list) => list),
    members: byId('members', personOf),
    labels: byId('labels', labelOf),
    checklists: groupBy(
      whole.list('checklists'),
      (list) => list.text('idCard') ?? '',
      (list) => list,
    ),
    comments: groupBy(comments, (action) => action.at('data').at('card').text('id') ?? '', readComment),
  };
}

function groupBy<T>(
  values: readonly JsonValue[],
  keyOf: (value: JsonValue) => string,
  read: (value: JsonValue) => T,
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(read(value));
    else groups.set(key, [read(value)]);
  }
  return groups;
}

const readComment = (action: JsonValue): RecordComment => ({
  author: personOf(action.at('memberCreator')),
  at: action.time('date'),
  body: action.at('data').text('text') ?? '',
});

const personOf = (member: JsonValue): Someone => ({
  name: member.text('fullName', 'username') ?? '',
  email: member.text('email'),
  login: member.text('username'),
});

const labelOf = (label: JsonValue): string => label.text('name', 'color') ?? '';

function toDraft(card: JsonValue, board: Board): Draft {
  const id = card.text('id') ?? '';
  const list = board.lists.get(card.text('idList') ?? '');
  const memberIds = card.list('idMembers').map((member) => member.text() ?? '');
  const [assignee = null, ...others] = memberIds.flatMap((member) => board.members.get(member) ?? []);
  const checklists = board.checklists.get(id) ?? [];
  const items = checklists.flatMap((checklist) => checklist.list('checkItems'));
  const files = card.list('attachments').map((file) => ({ name: file.text('name'), url: file.text('url') }));
  const comments = board.comments.get(id) ?? [];
  const url = card.text('shortUrl', 'url');
  return {
    keys: [id, url],
    url,
    title: card.text('name'),
    body: [card.text('desc') ?? '', ...checklists.map(writeChecklist), writeAttachments(files)].join('\n\n'),
    state: list ? (list.text('name') ?? '') : null,
    archived: [card, list].some((each) => each?.at('closed').raw === true),
    labels: readLabels(card, board),
    assignee,
    others,
    dueAt: card.time('due'),
    createdAt: readCreation(id),
    completedAt: card.at('dueComplete').raw === true ? card.time('dateLastActivity') : null,
    checklist: items.length === 0 ? null : { done: items.filter(isDone).length, total: items.length },
    comments,
    losses: {
      attachments: files.length > 0,
      olderComments: (card.at('badges').number('comments') ?? 0) > comments.length,
      formerMembers: !memberIds.every((member) => board.members.has(member)),
      customFields: card.list('customFieldItems').length > 0,
      votes: card.list('idMembersVoted').length > 0,
      checklistDetails: items.some((item) => item.text('due', 'idMember') !== null),
    },
  };
}

function readLabels(card: JsonValue, board: Board): string[] {
  const own = card.list('labels');
  if (own.length > 0) return own.map(labelOf);
  return card.list('idLabels').map((label) => board.labels.get(label.text() ?? '') ?? '');
}

const isDone = (item: JsonValue): boolean => item.at('state').raw === 'complete';

function writeChecklist(checklist: JsonValue): string {
  const items = checklist
    .list('checkItems')
    .map((item) => `- [${isDone(item) ? 'x' : ' '}] ${(item.text('name') ?? '').replace(/\s+/g, ' ')}`);
  return [`### ${checklist.text('name') ?? 'Checklist'}`, '', ...items].join('\n');
}

/** The first eight hex digits of a Trello id are its creation time in Unix seconds. */
const readCreation = (id: string): string | null =>
  /^[0-9a-f]{24}$/.test(id) ? new Date(Number.parseInt(id.slice(0, 8), 16) * 1000).toISOString() : null;
