import type { LogChunk } from '../builds.schemas.js';
import type { ChunkRow, LogState } from './log.store.js';

export interface FilledPage {
  chunks: LogChunk[];
  /** Whether its last piece is one that is gone, and whoever read until there was told so. */
  endsInToldGap: boolean;
}

/** Which pieces after one had to make room for newer ones; undefined when none of them had. */
function gapAfter(state: LogState, after: number): { from: number; until: number } | undefined {
  if (state.log_gap_until === 0 || after >= state.log_gap_until) return undefined;
  return { from: Math.max(after, state.log_head_seq) + 1, until: state.log_gap_until };
}

/**
 * A page of the log without a hole in its numbers: a piece that is gone is there without its text, and the first of them
 * says how much is missing. Whoever had read beyond the first one while it was still there finds it at the last of them;
 * `toldOfGap` is known of a reader that was told and is still among what is missing.
 */
export function fillPage(
  state: LogState,
  after: number,
  limit: number,
  rows: readonly ChunkRow[],
  toldOfGap = false,
): FilledPage {
  const kept = rows.map(({ seq, at, body }) => ({ seq, at: at.toISOString(), text: body }));
  const gap = gapAfter(state, after);
  if (!gap) return { chunks: kept, endsInToldGap: false };
  const before = kept.filter(({ seq }) => seq < gap.from);
  // A page that was full before the gap begins does not reach it.
  if (before.length < gap.from - 1 - after) return { chunks: before, endsInToldGap: false };
  const page = [...before];
  const at = (state.started_at ?? new Date(0)).toISOString();
  const saidAt = gap.from === state.log_head_seq + 1 ? gap.from : toldOfGap ? undefined : gap.until;
  for (let seq = gap.from; seq <= gap.until && page.length < limit; seq += 1)
    page.push({
      seq,
      at,
      text: seq === saidAt ? sayGap(state.log_gap_bytes, seq > state.log_head_seq + 1) : '',
    });
  if (page.length < limit)
    page.push(...kept.filter(({ seq }) => seq > gap.until).slice(0, limit - page.length));
  const last = page.at(-1)?.seq ?? after;
  return { chunks: page, endsInToldGap: last <= gap.until && last >= (saidAt ?? gap.from) };
}

const sayGap = (bytes: number, behind: boolean): string =>
  `\n[${bytes} bytes of the log are left out ${behind ? 'up to here' : 'here'}]\n`;
