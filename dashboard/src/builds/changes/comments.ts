import { useCallback, useMemo } from 'react';
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

/** What is said to a build: the record of all, and what this person is writing, which neither a reload nor a sign-in loses. */
export function useComments({ build_id: buildId }: Build): Comments {
  const list = useResource(keyOfList(buildId), (signal) => listComments(buildId, signal), {
    pollMs: POLL_MS,
  });
  const comments = list.data?.comments ?? NO_COMMENTS;
  const threads = useMemo(() => threadsOf(comments), [comments]);
  const { value: writing, set } = useDraft<Writing[]>(`review:${buildId}`, NOTHING);

  const drop = useCallback(
    (done: Writing) => set(writing.filter((each) => keyOf(each) !== keyOf(done))),
    [writing, set],
  );
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
      keep: async (done, draft) => {
        showComment(buildId, await addComment(buildId, { ...toComment(done), ...(draft && { draft }) }));
        drop(done);
      },
      keepAll: async () => {
        for (const each of writing.filter(isWritten))
          await addComment(buildId, { ...toComment(each), draft: true });
        set(NOTHING);
        refresh('remarks:');
      },
      send: async () => {
        for (const each of writing.filter(isWritten))
          await addComment(buildId, { ...toComment(each), draft: true });
        const sent = await sendComments(buildId);
        putResource<BuildCommentList>(keyOfList(buildId), () => sent);
        set(NOTHING);
      },
    }),
    [buildId, comments, threads, writing, set, drop],
  );
}

const isWritten = ({ body }: Writing): boolean => body.trim() !== '';
