import type { MemberCaller } from '../../../kernel/access.js';
import {
  type ActorNames,
  actorIdsOf,
  type PersonalPart,
  pagedPart,
  showActor,
} from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import {
  answered,
  answerHasNoPlace,
  buildNotFound,
  commentNotFound,
  draftUnresolved,
  nothingToChange,
  notTheWriter,
  replyRefused,
  tooManyComments,
} from '../builds.errors.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { BuildComment, BuildCommentList, CommentPatch, NewComment } from '../review.schemas.js';
import { createCommentNotifications, type Deed } from './comment-notifications.js';
import type { CommentPlaces, CommentTarget, Placed } from './comment-places.js';
import { type CommentRow, commentStore, listCommentsOf } from './comments.store.js';

interface CommentDeps extends BuildDeps {
  places: CommentPlaces;
}

/** Includes comments of earlier attempts. Lists are not paged. */
const MOST_COMMENTS = 1000;

export interface GivenComment {
  path?: string;
  line?: number;
  body: string;
}

export interface OpenThread extends Placed {
  context: string | null;
  said: { author: ActorNames | null; body: string }[];
}

export type CommentService = ReturnType<typeof createCommentService>;

export function createCommentService(deps: CommentDeps) {
  const { db, clock, places } = deps;
  const notifications = createCommentNotifications(deps);

  async function getBuild(caller: MemberCaller, buildId: string): Promise<BuildRow> {
    const build = await buildStore(db, caller.brandId).find(buildId, clock.now());
    if (!build) throw buildNotFound();
    return build;
  }

  async function lockBuild(tx: Tx, caller: MemberCaller, buildId: string): Promise<BuildRow> {
    const build = await buildStore(tx, caller.brandId).lock(buildId, clock.now());
    if (!build) throw buildNotFound();
    return build;
  }

  async function list(caller: MemberCaller, build: BuildRow): Promise<BuildComment[]> {
    const rows = await commentStore(db, caller.brandId).listOfLine(
      build.build_id,
      actorIdsOf(caller),
      MOST_COMMENTS,
    );
    return showThreads(rows, await places.place(build, rows.filter(isFirst)));
  }

  async function listAll(caller: MemberCaller, buildId: string): Promise<BuildCommentList> {
    const comments = await list(caller, await getBuild(caller, buildId));
    return { comments, total: comments.length };
  }

  async function show(caller: MemberCaller, buildId: string, commentId: string): Promise<BuildComment> {
    const all = await list(caller, await getBuild(caller, buildId));
    const shown = all.find(({ comment_id }) => comment_id === commentId);
    if (!shown) throw commentNotFound();
    return shown;
  }

  async function getComment(
    tx: Tx,
    caller: MemberCaller,
    buildId: string,
    commentId: string,
  ): Promise<CommentRow> {
    const seen = await commentStore(tx, caller.brandId).listOfLine(
      buildId,
      actorIdsOf(caller),
      MOST_COMMENTS,
    );
    const comment = seen.find(({ comment_id }) => comment_id === commentId);
    if (!comment) throw commentNotFound();
    return comment;
  }

  async function requireRoom(tx: Tx, caller: MemberCaller, buildId: string, more: number): Promise<void> {
    if ((await commentStore(tx, caller.brandId).countOfLine(buildId)) + more > MOST_COMMENTS)
      throw tooManyComments(MOST_COMMENTS);
  }

  async function findThread(
    tx: Tx,
    caller: MemberCaller,
    buildId: string,
    replyTo: string,
  ): Promise<CommentRow> {
    const seen = await commentStore(tx, caller.brandId).listOfLine(
      buildId,
      actorIdsOf(caller),
      MOST_COMMENTS,
    );
    const target = seen.find(({ comment_id }) => comment_id === replyTo.toLowerCase());
    const first = seen.find(({ comment_id }) => comment_id === (target?.answers ?? target?.comment_id));
    if (!first || first.draft_of !== null || target?.draft_of !== null) throw replyRefused();
    return first;
  }

  /** May wait for the repository host, so it runs before the transaction. */
  async function prepare(caller: MemberCaller, buildId: string, input: NewComment): Promise<CommentTarget> {
    const build = await getBuild(caller, buildId);
    if (input.reply_to !== undefined && (input.path !== undefined || input.line !== undefined))
      throw answerHasNoPlace();
    return places.findTarget(build, input);
  }

  return {
    prepare,

    async add(
      caller: MemberCaller,
      buildId: string,
      input: NewComment,
      prepared?: CommentTarget,
    ): Promise<BuildComment> {
      const target = prepared ?? (await prepare(caller, buildId, input));
      const { body, draft = false, reply_to: replyTo } = input;
      const commentId = newId();
      await inTransaction(db, async (tx) => {
        const build = await lockBuild(tx, caller, buildId);
        await requireRoom(tx, caller, buildId, 1);
        const thread = replyTo === undefined ? undefined : await findThread(tx, caller, buildId, replyTo);
        const answers = thread?.comment_id ?? null;
        const at = clock.now();
        await commentStore(tx, caller.brandId).insert(
          { comment_id: commentId, build_id: buildId, answers, body, ...target },
          { by: actorIdsOf(caller), at, draft },
        );
        if (!draft) await notifications.notifySent(tx, caller, build, { comments: [{ body, answers }], at });
      });
      return show(caller, buildId, commentId);
    },

    list: listAll,

    /** Only the author can change the text. Everyone can resolve a thread. */
    async change(
      caller: MemberCaller,
      buildId: string,
      commentId: string,
      { body, resolved }: CommentPatch,
    ): Promise<BuildComment> {
      if (body === undefined && resolved === undefined) throw nothingToChange();
      await inTransaction(db, async (tx) => {
        const build = await lockBuild(tx, caller, buildId);
        const comment = await getComment(tx, caller, buildId, commentId);
        const store = commentStore(tx, caller.brandId);
        const at = clock.now();
        const deeds: Deed[] = [];
        if (body !== undefined) {
          if (!isAuthor(caller, comment)) throw notTheWriter();
          await store.changeBody(commentId, body);
          deeds.push({ event: 'build.comment-changed', commentId });
        }
        if (resolved !== undefined) {
          if (comment.draft_of !== null) throw draftUnresolved();
          const threadId = comment.answers ?? commentId;
          await store.resolve(threadId, resolved ? { by: actorIdsOf(caller), at } : null);
          const event = resolved ? 'build.comment-resolved' : 'build.comment-reopened';
          deeds.push({ event, commentId: threadId });
        }
        if (comment.draft_of === null)
          await notifications.recordChange(tx, caller, build, { of: comment, deeds, at });
      });
      return show(caller, buildId, commentId);
    },

    async remove(caller: MemberCaller, buildId: string, commentId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const build = await lockBuild(tx, caller, buildId);
        const comment = await getComment(tx, caller, buildId, commentId);
        if (!mayRemove(caller, comment)) throw notTheWriter();
        if (!(await commentStore(tx, caller.brandId).delete(commentId))) throw answered();
        if (comment.draft_of !== null) return;
        const deeds: Deed[] = [{ event: 'build.comment-deleted', commentId }];
        await notifications.recordChange(tx, caller, build, { of: comment, deeds, at: clock.now() });
      });
    },

    async send(caller: MemberCaller, buildId: string): Promise<BuildCommentList> {
      await inTransaction(db, async (tx) => {
        const build = await lockBuild(tx, caller, buildId);
        const at = clock.now();
        const comments = await commentStore(tx, caller.brandId).send(buildId, actorIdsOf(caller), at);
        await notifications.notifySent(tx, caller, build, { comments, at });
      });
      return listAll(caller, buildId);
    },

    /** Sends the given comments and the caller's drafts. The caller holds the build's lock. */
    async sendWith(
      tx: Tx,
      caller: MemberCaller,
      build: BuildRow,
      {
        given,
        at,
        decided,
        quiet,
      }: { given: readonly GivenComment[]; at: Date; decided: boolean; quiet: boolean },
    ): Promise<number> {
      const store = commentStore(tx, caller.brandId);
      const { build_id, head_sha } = build;
      if (given.length > 0) await requireRoom(tx, caller, build_id, given.length);
      for (const { path = null, line = null, body } of given)
        await store.insert(
          {
            comment_id: newId(),
            build_id,
            answers: null,
            path,
            line,
            side: 'new',
            commit_sha: path === null ? null : head_sha,
            context: null,
            body,
          },
          { by: actorIdsOf(caller), at, draft: false },
        );
      const drafts = await store.send(build_id, actorIdsOf(caller), at);
      const comments = [...given.map(({ body }) => ({ body, answers: null })), ...drafts];
      if (!quiet) await notifications.notifySent(tx, caller, build, { comments, at, decided });
      return comments.length;
    },

    listPersonalParts: (userId: number): PersonalPart[] => [
      pagedPart(
        'review_comments',
        ({ id }: { id: string }) => id,
        (after, limit) => listCommentsOf(db, userId, after, limit),
      ),
    ],

    /** Whether a rework would have something to do: an unresolved thread or a draft of the caller. */
    async asksForMore(caller: MemberCaller, buildId: string): Promise<boolean> {
      const store = commentStore(db, caller.brandId);
      if (await store.hasDrafts(buildId, actorIdsOf(caller))) return true;
      return (await store.listOfLine(buildId, undefined, MOST_COMMENTS)).some(isOpen);
    },

    async listOpenThreads(build: BuildRow): Promise<OpenThread[]> {
      const rows = await commentStore(db, build.brand_id).listOfLine(
        build.build_id,
        undefined,
        MOST_COMMENTS,
      );
      const open = rows.filter(isOpen);
      const placed = await places.place(build, open);
      return open.map((first) => ({
        ...placed.get(first.comment_id)!,
        context: first.context,
        said: ofThread(rows, first),
      }));
    },
  };
}

const isFirst = ({ answers }: CommentRow): boolean => answers === null;
const isOpen = (row: CommentRow): boolean => isFirst(row) && row.resolved_at === null;

const ofThread = (rows: readonly CommentRow[], { comment_id: first }: CommentRow): CommentRow[] =>
  rows.filter(({ comment_id, answers }) => comment_id === first || answers === first);

/** Sorted by path and line. Answers follow the first comment of their thread. */
function showThreads(rows: readonly CommentRow[], placed: ReadonlyMap<string, Placed>): BuildComment[] {
  return rows
    .filter(isFirst)
    .map((first) => ({ first, place: placed.get(first.comment_id)! }))
    .sort(
      (a, b) => compare(a.place.path ?? '', b.place.path ?? '') || (a.place.line ?? 0) - (b.place.line ?? 0),
    )
    .flatMap(({ first, place }) => ofThread(rows, first).map((row) => viewComment(row, first, place)));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isAuthor = ({ userId, agent }: MemberCaller, { author }: CommentRow): boolean =>
  author?.user_id === userId && author.agent_id === (agent?.agentId ?? null);

/** People can delete their agents' comments, but not change them. */
const mayRemove = (caller: MemberCaller, comment: CommentRow): boolean =>
  isAuthor(caller, comment) || (caller.agent === null && comment.author?.user_id === caller.userId);

const viewComment = (row: CommentRow, first: CommentRow, place: Placed): BuildComment => ({
  comment_id: row.comment_id,
  build_id: row.build_id,
  attempt: row.attempt,
  reply_to: row.answers,
  ...place,
  side: first.side,
  context: first.context,
  body: row.body,
  draft: row.draft_of !== null,
  author: showActor(row.author),
  created_at: row.written_at.toISOString(),
  resolved: first.resolved_at && {
    by: showActor(first.resolver),
    at: first.resolved_at.toISOString(),
  },
});
