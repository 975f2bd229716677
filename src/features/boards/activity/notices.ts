import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import type { Tx } from '../../../platform/database/database.js';
import type { InboxNotices, Notice } from '../../../platform/outbox/outbox.js';
import { excerptOf } from '../board/text.js';
import type { Changes, Person } from '../boards.schemas.js';

interface Deps {
  inbox: InboxNotices;
}

interface CardPlace {
  boardId: string;
  taskId: string;
  at: Date;
}

interface TextChange {
  from: string | null;
  to: string | null;
}

const noticeOf = (caller: MemberCaller, { taskId, at }: CardPlace) => ({
  brandId: caller.brandId,
  taskId,
  at,
  actor: actorIdsOf(caller),
});

async function findNewlyMentioned(
  { inbox }: Deps,
  tx: Tx,
  { brandId }: MemberCaller,
  { boardId }: CardPlace,
  { from, to }: TextChange,
): Promise<number[]> {
  if (!to?.includes('@')) return [];
  const place = { brandId, boardId };
  const called = await inbox.findMentioned(tx, place, to);
  if (called.length === 0 || from === null) return called;
  const before = await inbox.findMentioned(tx, place, from);
  return called.filter((userId) => !before.includes(userId));
}

const mention = (caller: MemberCaller, place: CardPlace, users: number[], text: string | null): Notice[] =>
  users.length === 0
    ? []
    : [{ ...noticeOf(caller, place), kind: 'mentioned', excerpt: excerptOf(text), to: { users } }];

/** A change or creation of a card. `changed` has full values. */
export interface CardUpdate {
  place: CardPlace;
  changed: Changes;
}

export async function notifyOfChanges(
  deps: Deps,
  tx: Tx,
  caller: MemberCaller,
  news: readonly CardUpdate[],
): Promise<void> {
  const notices: Notice[] = [];
  for (const { place, changed } of news) {
    notices.push(...noticesOf(caller, place, changed));
    const texts = changed['instructions'] as TextChange | undefined;
    if (!texts) continue;
    const users = await findNewlyMentioned(deps, tx, caller, place, texts);
    notices.push(...mention(caller, place, users, texts.to));
  }
  await deps.inbox.notify(tx, notices);
}

function noticesOf(caller: MemberCaller, place: CardPlace, { assignee, status }: Changes): Notice[] {
  const common = { ...noticeOf(caller, place), excerpt: null };
  const person = assignee?.to as Person | null | undefined;
  return [
    ...(person ? [{ ...common, kind: 'assigned' as const, to: { users: [person.user_id] } }] : []),
    ...(status?.to === 'in_review'
      ? [{ ...common, kind: 'review_asked' as const, to: { reporter: true, watchers: true } }]
      : []),
  ];
}

/** A new comment notifies all people involved in the card, a changed one only newly mentioned people. */
export async function notifyOfComment(
  deps: Deps,
  tx: Tx,
  caller: MemberCaller,
  place: CardPlace,
  body: TextChange,
): Promise<void> {
  const users = await findNewlyMentioned(deps, tx, caller, place, body);
  const notices = mention(caller, place, users, body.to);
  if (body.from === null)
    notices.push({
      ...noticeOf(caller, place),
      kind: 'commented',
      excerpt: excerptOf(body.to),
      to: { assignee: true, reporter: true, watchers: true },
      except: users,
    });
  await deps.inbox.notify(tx, notices);
}
