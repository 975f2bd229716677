import type { BoardService } from '../features/boards/index.js';
import type { InboxService } from '../features/inbox/inbox.service.js';
import type { ViewService } from '../features/views/views.service.js';
import type { ActingAgent, MemberCaller } from '../kernel/access.js';
import { type Clock, DAY, secondsFrom } from '../kernel/clock.js';
import { inTransaction } from '../platform/database/connection/transaction.js';
import type { Db } from '../platform/database/database.js';
import type { InboxNotices } from '../platform/outbox/outbox.js';

interface DemoParts {
  db: Db;
  clock: Clock;
  boards: BoardService;
  notices: InboxNotices;
  inbox: Pick<InboxService, 'listInbox' | 'changeItem'>;
  views: Pick<ViewService, 'createView'>;
}

interface DemoPerson {
  user_id: number;
  email: string;
  full_name: string;
}

/** The cards of the inbox, created first so that their numbers are the same in every demo. */
export async function seedInboxCards({ boards }: Pick<DemoParts, 'boards'>, admin: MemberCaller) {
  const [board] = (await boards.listBoards(admin, { page: 1, per_page: 1 })).boards;
  if (!board) return undefined;
  const make = (title: string, instructions: string) =>
    boards.createCard(admin, board.board_id, { title, instructions });
  const route = await make('Show the route on the map', 'The driver sees the whole way at a glance.');
  const stop = await make('Stop at a red light', `Also when the light is broken. Comes after ${route.ref}.`);
  return { route, stop };
}

type InboxCards = NonNullable<Awaited<ReturnType<typeof seedInboxCards>>>;

/**
 * Adds inbox items for the admin, caused by a colleague and the admin's agent, with one snoozed; and a view
 * that the colleague shares.
 */
export async function seedInboxDemo(
  { db, clock, boards, notices, inbox, views }: DemoParts,
  admin: MemberCaller,
  { user_id, email, full_name }: DemoPerson,
  agent: ActingAgent,
  { route, stop }: InboxCards,
): Promise<void> {
  const colleague = { ...admin, userId: user_id, email, fullName: full_name, role: 'member' } as MemberCaller;
  const wish = { ifMatch: undefined, receiptOnly: true };
  await boards.addComment(
    colleague,
    route.id,
    'I would start with the zoom levels. The rest follows from them.',
  );
  await boards.addComment(colleague, route.id, `@${admin.fullName} which map do we buy?`);
  await boards.changeCard(colleague, route.id, { status: 'in_review' }, wish);

  await boards.addComment(
    { ...admin, agent },
    route.id,
    'The map we have shows streets and no heights: on Friday’s route the van would have taken the stairs. I would buy the other one.',
  );

  await boards.changeCard(colleague, stop.id, { assignee: admin.userId }, wish);
  await inTransaction(db, (tx) =>
    notices.notify(tx, [
      {
        brandId: admin.brandId,
        kind: 'build_failed',
        taskId: stop.id,
        at: clock.now(),
        actor: null,
        excerpt: 'Two of the tests that check the light are red',
        to: { users: [admin.userId] },
      },
    ]),
  );

  const [comment] = (await inbox.listInbox(admin, { state: 'open', kind: 'commented', limit: 1 })).items;
  const nextWeek = secondsFrom(clock.now(), 7 * DAY).toISOString();
  if (comment) await inbox.changeItem(admin, comment.item_id, { snoozed_until: nextWeek });
  await views.createView(colleague, {
    name: 'Pressing',
    query: 'priority=urgent,high&status=pending,in_progress,in_review,blocked&group=board',
    shared: true,
  });
}
