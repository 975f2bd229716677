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
  /** The user's drafts and the comments being written. */
  unsent: { spot: Spot; body: string }[];
  writing: Writing[];
  open(spot: Spot): void;
  change(writing: Writing, body: string): void;
  drop(writing: Writing): void;
  /** Saves a comment as a draft, or sends it immediately. */
  keep(writing: Writing, draft: boolean): Promise<void>;
  /** Turns all comments being written into drafts, so that the decision sends them. */
  keepAll(): Promise<void>;
  send(): Promise<void>;
}

const NOTHING: Writing[] = [];
const NO_COMMENTS: BuildComment[] = [];
const POLL_MS = 5_000;

const keyOfList = (buildId: string): string => `remarks:${buildId}`;

/** Shows a new comment before the list is reloaded. */
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

/** Running requests by build and spot: a decision waits for them, and a second click creates no duplicate. */
const underWay = new Map<string, Promise<void>>();

function once(key: string, work: () => Promise<void>): Promise<void> {
  const running = underWay.get(key) ?? work().finally(() => underWay.delete(key));
  underWay.set(key, running);
  return running;
}

/** A build's comments and the user's unsent ones, which survive a reload and a new sign-in. */
export function useComments({ build_id: buildId }: Build): Comments {
  const list = useResource(keyOfList(buildId), (signal) => listComments(buildId, signal), {
    pollMs: POLL_MS,
  });
  const comments = list.data?.comments ?? NO_COMMENTS;
  const threads = useMemo(() => threadsOf(comments), [comments]);
  const { value: writing, set } = useDraft<Writing[]>(`review:${buildId}`, NOTHING);

  // Keep text that was written while another request was running.
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
