import type { LessonDraft } from '../files/lesson-file.js';
import type { AnchorRecord } from './lesson-records.store.js';

/** A file read again: what its author wrote before stands where its code stands now, what is new is still to be found. */
export function keepAnchors(before: readonly AnchorRecord[], draft: LessonDraft): AnchorRecord[] {
  const known = new Map(before.map((record) => [record.written, record]));
  return draft.anchors.map(
    ({ written, anchor }) => known.get(written) ?? { ...anchor, written, nodeNo: null },
  );
}
