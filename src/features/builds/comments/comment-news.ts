import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { InboxNotices, Notice } from '../../../platform/outbox/inbox-notices.js';
import type { BoardService } from '../../boards/index.js';
import { beginning } from '../record/build-notices.js';
import type { BuildRow } from '../record/builds.store.js';
import { type CommentRow, commentStore } from './comments.store.js';

interface NewsDeps {
  boards: Pick<BoardService, 'findCardToBuild' | 'tellOnCard'>;
  inbox: Pick<InboxNotices, 'tell' | 'findMentioned'>;
}

/** What was sent together. */
export interface Sent {
  comments: readonly { body: string; answers: string | null }[];
  at: Date;
  /** With a decision: that is the entry of the card then. */
  decided?: boolean;
}

/** What was done to a comment. */
export interface Deed {
  event: `build.comment-${'changed' | 'resolved' | 'reopened' | 'deleted'}`;
  commentId: string;
}

/**
 * Tells of comments that were sent, in the transaction that sends them: one entry of the card, which is how every open page
 * learns of them, and one item for each who has to do with the build or speaks in the threads.
 */
export function createCommentNews({ boards, inbox }: NewsDeps) {
  async function tellPeople(
    tx: Tx,
    caller: MemberCaller,
    build: BuildRow,
    { comments, at }: Sent,
  ): Promise<void> {
    const { brand_id: brandId, task_id: taskId, build_id: buildId } = build;
    const boardId = (await boards.findCardToBuild(brandId, taskId, tx))?.card.board_id;
    if (boardId === undefined) return;
    const told = { brandId, taskId, buildId, at, actor: actorIdsOf(caller) };
    const notices: Notice[] = [];
    const mentioned = new Set<number>();
    for (const { body } of comments) {
      if (!body.includes('@')) continue;
      const called = await inbox.findMentioned(tx, { brandId, boardId }, body);
      const users = called.filter((user) => !mentioned.has(user));
      for (const user of users) mentioned.add(user);
      if (users.length > 0)
        notices.push({ ...told, kind: 'mentioned', excerpt: beginning(body), to: { users } });
    }
    const threads = comments.flatMap(({ answers }) => (answers === null ? [] : [answers]));
    const speakers = await commentStore(tx, brandId).listSpeakers(threads);
    notices.push({
      ...told,
      kind: 'commented',
      excerpt: beginning(comments[0]!.body),
      to: {
        users: [...(build.created_by === null ? [] : [build.created_by]), ...speakers],
        assignee: true,
        reporter: true,
      },
      except: [...mentioned],
    });
    await inbox.tell(tx, notices);
  }

  async function tellSent(tx: Tx, caller: MemberCaller, build: BuildRow, sent: Sent): Promise<void> {
    const { comments, at, decided = false } = sent;
    if (comments.length === 0) return;
    const { brand_id: brandId, task_id: taskId, build_id, attempt } = build;
    await recordAudit(tx, {
      brandId,
      actor: caller,
      action: 'build.commented',
      subject: `build:${build_id}`,
      details: { comments: comments.length },
      at,
    });
    if (!decided)
      await boards.tellOnCard(tx, caller, taskId, {
        comment: { from: null, to: beginning(comments[0]!.body) },
        build: { from: null, to: { build_id, attempt, event: 'build.commented', comments: comments.length } },
      });
    await tellPeople(tx, caller, build, sent);
  }

  /** What became of a comment that others see, in one entry. It asks nobody for anything, so it is in no inbox. */
  async function tellChanged(
    tx: Tx,
    caller: MemberCaller,
    { brand_id: brandId, task_id: taskId, build_id, attempt }: BuildRow,
    { of, deeds, at }: { of: CommentRow; deeds: readonly Deed[]; at: Date },
  ): Promise<void> {
    for (const { event: action, commentId: comment_id } of deeds)
      await recordAudit(tx, {
        brandId,
        actor: caller,
        action,
        subject: `build:${of.build_id}`,
        details: { comment_id },
        at,
      });
    const event = deeds.at(-1)?.event;
    if (!event) return;
    const build = { from: null, to: { build_id, attempt, event } };
    await boards.tellOnCard(tx, caller, taskId, { build }, 'task.updated');
  }

  return { tellSent, tellChanged };
}

export type CommentNews = ReturnType<typeof createCommentNews>;
