import type { LogChunk } from '../builds.schemas.js';
import type { ChunkRow, LogState } from './log.store.js';

/** Which pieces after one had to make room for newer ones; undefined when none of them had. */
function gapAfter(state: LogState, after: number): { from: number; until: number } | undefined {
  if (state.log_gap_until === 0 || after >= state.log_gap_until) return undefined;
  return { from: Math.max(after, state.log_head_seq) + 1, until: state.log_gap_until };
}

/**
 * A page of the log without a hole in its numbers: a piece that is gone is there without its text, and the first of them
 * says how much is missing.
 */
export function fillPage(
  state: LogState,
  after: number,
  limit: number,
  rows: readonly ChunkRow[],
): LogChunk[] {
  const kept = rows.map(({ seq, at, body }) => ({ seq, at: at.toISOString(), text: body }));
  const gap = gapAfter(state, after);
  if (!gap) return kept;
  const before = kept.filter(({ seq }) => seq < gap.from);
  // A page that was full before the gap begins does not reach it.
  if (before.length < gap.from - 1 - after) return before;
  const page = [...before];
  const at = (state.started_at ?? new Date(0)).toISOString();
  for (let seq = gap.from; seq <= gap.until && page.length < limit; seq += 1)
    page.push({ seq, at, text: seq === state.log_head_seq + 1 ? sayGap(state.log_gap_bytes) : '' });
  if (page.length < limit)
    page.push(...kept.filter(({ seq }) => seq > gap.until).slice(0, limit - page.length));
  return page;
}

const sayGap = (bytes: number): string => `\n[${bytes} bytes of the log are left out here]\n`;
