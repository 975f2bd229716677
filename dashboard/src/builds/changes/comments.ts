import { useCallback, useMemo, useRef } from 'react';
import {
  addComment,
  type Build,
  type BuildComment,
  type BuildCommentList,
  listComments,
  sendComments,
} from '../../api/builds.js';
import { amendResource, putResource, refresh, useResource } from '../../api/resource.js';
import { useDraft } from '../../ui/draft.js';
import { keyOf, type Spot, type Thread, threadsOf, toComment, type Writing } from './remarks.js';

export interface Comments {
  buildId: string;
  threads: Thread[];
  /** One's own comments that nobody else sees yet, and what is being written. */
  unsent: { spot: Spot; body: string }[];
  writing: Writing[];
  open(spot: Spot): void;
  change(writing: Writing, body: string): void;
  drop(writing: Writing): void;
  /** As a draft, or sent at once. */
  keep(writing: Writing, draft: boolean): Promise<void>;
  /** Whatever is being written becomes a draft, so that a decision sends it. */
  keepAll(): Promise<void>;
  /** Without a decision. */
  send(): Promise<void>;
}

const NOTHING: Writing[] = [];
const NO_COMMENTS: BuildComment[] = [];
const POLL_MS = 5_000;

const keyOfList = (buildId: string): string => `remarks:${buildId}`;

/** Shows a comment that was just made before the list is read again. */
export function showComment(buildId: string, comment: BuildComment): void {
  putResource<BuildCommentList>(keyOfList(buildId), (list) => {
    const others = list?.comments.filter(({ comment_id }) => comment_id !== comment.comment_id) ?? [];
    return { comments: [...others, comment], total: others.length + 1 };
  });
  refresh('remarks:');
}

export function hideComment(buildId: string, commentId: string): void {
  amendResource<BuildCommentList>(keyOfList(buildId), (list) => {
    const comments = list?.comments.filter(({ comment_id }) => comment_id !== commentId) ?? [];
    return { comments, total: comments.length };
  });
  refresh('remarks:');
}

/** What is on its way to the service, by build and spot: a decision waits for it, and a second press makes no second comment. */
const underWay = new Map<string, Promise<void>>();

function once(key: string, work: () => Promise<void>): Promise<void> {
  const running = underWay.get(key) ?? work().finally(() => underWay.delete(key));
  underWay.set(key, running);
  return running;
}

/** What is said to a build: the record of all, and what this person is writing, which neither a reload nor a sign-in loses. */
export function useComments({ build_id: buildId }: Build): Comments {
  const list = useResource(keyOfList(buildId), (signal) => listComments(buildId, signal), {
    pollMs: POLL_MS,
  });
  const comments = list.data?.comments ?? NO_COMMENTS;
  const threads = useMemo(() => threadsOf(comments), [comments]);
  const { value: writing, set } = useDraft<Writing[]>(`review:${buildId}`, NOTHING);

  // What was written while something else was on its way has to stay.
  const newest = useRef(writing);
  newest.current = writing;

  const drop = useCallback(
    (done: Writing) => {
      newest.current = newest.current.filter((each) => keyOf(each) !== keyOf(done));
      set(newest.current);
    },
    [set],
  );
  const keep = useCallback(
    (done: Writing, draft: boolean) =>
      once(`${buildId} ${keyOf(done)}`, async () => {
        showComment(buildId, await addComment(buildId, { ...toComment(done), ...(draft && { draft }) }));
        drop(done);
      }),
    [buildId, drop],
  );
  const keepAll = useCallback(async () => {
    for (const each of newest.current.filter(isWritten)) await keep(each, true);
    set(NOTHING);
  }, [keep, set]);
  return useMemo(
    () => ({
      buildId,
      threads,
      unsent: [
        ...comments
          .filter(({ draft }) => draft)
          .map(({ path, side, line, body }) => ({
            spot: { path, side: line === null ? ('file' as const) : side, line },
            body,
          })),
        ...writing.filter(isWritten).map((each) => ({ spot: each, body: each.body })),
      ],
      writing,
      open: (spot) => {
        if (!writing.some((each) => keyOf(each) === keyOf(spot))) set([...writing, { ...spot, body: '' }]);
      },
      change: (changed, body) =>
        set(writing.map((each) => (keyOf(each) === keyOf(changed) ? { ...each, body } : each))),
      drop,
      keep,
      keepAll,
      send: async () => {
        await keepAll();
        const sent = await sendComments(buildId);
        putResource<BuildCommentList>(keyOfList(buildId), () => sent);
      },
    }),
    [buildId, comments, threads, writing, set, drop, keep, keepAll],
  );
}

const isWritten = ({ body }: Writing): boolean => body.trim() !== '';
