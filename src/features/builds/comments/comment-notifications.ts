import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { Notice } from '../../../platform/outbox/outbox.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { beginning } from '../record/notifications.js';
import { type CommentRow, commentStore } from './comments.store.js';

export interface Sent {
  comments: readonly { body: string; answers: string | null }[];
  at: Date;
  /** Sent with a decision, which has its own activity entry. */
  decided?: boolean;
}

export interface Deed {
  event: `build.comment-${'changed' | 'resolved' | 'reopened' | 'deleted'}`;
  commentId: string;
}

/** Records one activity entry, which updates open pages, and notifies the people of build and threads. */
export function createCommentNotifications({ boards, inbox }: BuildDeps) {
  async function notifyPeople(
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
    await inbox.notify(tx, notices);
  }

  async function notifySent(tx: Tx, caller: MemberCaller, build: BuildRow, sent: Sent): Promise<void> {
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
      await boards.recordOnCard(tx, caller, taskId, {
        comment: { from: null, to: beginning(comments[0]!.body) },
        build: { from: null, to: { build_id, attempt, event: 'build.commented', comments: comments.length } },
      });
    await notifyPeople(tx, caller, build, sent);
  }

  /** Sends no notification, because no one has to act. */
  async function recordChange(
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
    await boards.recordOnCard(tx, caller, taskId, { build }, 'task.updated');
  }

  return { notifySent, recordChange };
}
