import { inTransaction } from '../../database/connection/transaction.js';
import type { Db } from '../../database/database.js';
import type { ActingAgent, MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { InboxNotices } from '../../services/outbox/inbox-notices.js';
import type { BoardService } from '../boards/boards.service.js';

interface DemoParts {
  db: Db;
  clock: Clock;
  boards: BoardService;
  notices: InboxNotices;
}

interface DemoPerson {
  user_id: number;
  email: string;
  full_name: string;
}

/** A few things that wait for the admin, because a colleague or the admin's own agent did something on the boards. */
export async function seedInboxDemo(
  { db, clock, boards, notices }: DemoParts,
  admin: MemberCaller,
  { user_id, email, full_name }: DemoPerson,
  agent: ActingAgent,
): Promise<void> {
  const colleague = { ...admin, userId: user_id, email, fullName: full_name, role: 'member' } as MemberCaller;
  const [board] = (await boards.listBoards(admin, { page: 1, per_page: 1 })).boards;
  if (!board) return;
  const wish = { ifMatch: undefined, receiptOnly: true };
  const make = (title: string, instructions: string) =>
    boards.createCard(admin, board.board_id, { title, instructions });

  const route = await make('Show the route on the map', 'The driver sees the whole way at a glance.');
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

  const stop = await make('Stop at a red light', 'Also when the light is broken.');
  await boards.changeCard(colleague, stop.id, { assignee: admin.userId }, wish);
  await inTransaction(db, (tx) =>
    notices.tell(tx, [
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
}
