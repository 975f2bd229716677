import type { NewCommentRow } from '../comments/comments.store.js';

/** A remark of a reviewer with the place where it stands. */
export interface PlacedRemark {
  spot: Pick<NewCommentRow, 'path' | 'line' | 'side' | 'commit_sha' | 'context'>;
  body: string;
}
