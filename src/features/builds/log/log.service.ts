import type { DeskCaller, MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import type { ServerSentEvent } from '../../../platform/http/answer/answers.js';
import { buildNotFound, emptyPiece, logFull, logGap } from '../builds.errors.js';
import type { LogChunk, LogPage } from '../builds.schemas.js';
import type { Lifecycle } from '../lifecycle/advance.js';
import { hashClaim, requireOpenWork } from '../record/build-access.js';
import type { BuildDeps } from '../record/build-deps.js';
import { buildStore } from '../record/builds.store.js';
import { createAppendBatches } from './append-batches.js';
import { type ChunkRow, type LogPiece, type LogState, logStore } from './log.store.js';
import type { LogSubscriptions } from './log-subscriptions.js';

interface LogDeps extends BuildDeps {
  logSubscriptions: LogSubscriptions;
  lifecycle: Lifecycle;
  lifeSigns: LifeSigns;
}

const PAGE = 100;
/** A desk writes up to ten pieces a second. */
const MOST_PIECES = 250_000;
/** Fallback when a signal is lost. */
const LOOK_AGAIN_MS = 5_000;

export function createLogService(deps: LogDeps) {
  const { db, clock, logSubscriptions, lifecycle, lifeSigns, isStillValid } = deps;
  const batches = createAppendBatches(deps);

  async function readAfter(
    brandId: number,
    buildId: string,
    after: number,
    limit: number,
    gapSent = false,
  ): Promise<FilledPage & { state: LogState }> {
    const found = await logStore(db, brandId).read(buildId, after, limit, clock.now());
    if (!found) throw buildNotFound();
    const { state, chunks } = found;
    return { ...fillPage(state, after, limit, chunks, gapSent), state };
  }

  /** Handles a repeated piece, a gap, and a build that no longer runs. */
  async function appendCarefully(caller: DeskCaller, piece: LogPiece, claim: string | undefined) {
    const now = clock.now();
    await lifecycle.within(db, async (tx) => {
      const build = await buildStore(tx, caller.brandId).lock(piece.buildId, now);
      requireOpenWork(build, caller, claim);
      const { log_seq } = await lifecycle.settle(tx, build);
      if (piece.seq <= log_seq) return;
      // Checked before the gap, so that the desk is not asked for the missing piece.
      if (log_seq >= MOST_PIECES) throw logFull(MOST_PIECES);
      if (piece.seq > log_seq + 1) throw logGap(log_seq + 1);
      await logStore(tx, caller.brandId).append(piece, now);
    });
  }

  return {
    async append(
      caller: DeskCaller,
      claim: string | undefined,
      { buildId, seq, bytes }: { buildId: string; seq: number; bytes: Buffer },
    ): Promise<{ next: number }> {
      if (bytes.length === 0) throw emptyPiece();
      const piece = { buildId, seq, bytes: bytes.length, body: readable(bytes) };
      const fence = { deskId: caller.deskId, claimHash: hashClaim(claim ?? '') };
      const at = seq <= MOST_PIECES ? await batches.append(caller.brandId, piece, fence) : undefined;
      if (at) {
        lifeSigns.note(caller.brandId, buildId);
        logSubscriptions.publishPiece(buildId, { seq, at: at.toISOString(), text: piece.body });
      } else {
        await appendCarefully(caller, piece, claim);
        logSubscriptions.publishPiece(buildId);
      }
      return { next: seq + 1 };
    },

    async readLog(
      brandId: number,
      buildId: string,
      { after = 0, limit = PAGE }: { after?: number; limit?: number },
    ): Promise<LogPage> {
      const { chunks, state } = await readAfter(brandId, buildId, after, limit);
      const next = chunks.at(-1)?.seq ?? after;
      return { chunks, next, finished: state.ended && next >= state.log_seq };
    },

    /** Ends when the build has ended or the caller may no longer read it. */
    async *follow(
      caller: MemberCaller,
      buildId: string,
      after: number,
      signal: AbortSignal,
    ): AsyncGenerator<ServerSentEvent> {
      const subscription = logSubscriptions.subscribe(buildId, signal);
      let told = after;
      let gapSent = false;
      try {
        while (true) {
          const page = await readAfter(caller.brandId, buildId, told, PAGE, gapSent);
          const { chunks, state } = page;
          for (const chunk of chunks) yield { id: String(chunk.seq), data: chunk };
          told = chunks.at(-1)?.seq ?? told;
          if (chunks.length > 0) gapSent = page.endsInSentGap;
          if (told < state.log_seq) continue;
          if (state.ended) return yield { event: 'end', data: { next: told } };
          for (let whole = true; whole; ) {
            const { verdict, pieces, more } = await subscription.next(LOOK_AGAIN_MS);
            if (verdict === 'over') return;
            // A stream outlives the permission check of its request.
            if (verdict === 'doubt' && !(await isStillValid(caller))) return;
            const following = piecesAfter(told, pieces);
            for (const chunk of following) yield { id: String(chunk.seq), data: chunk };
            told += following.length;
            if (following.length > 0) gapSent = false;
            whole = !more && told >= (pieces.at(-1)?.seq ?? 0);
          }
        }
      } catch (error) {
        // The build was deleted.
        if (!(error instanceof ApiError)) throw error;
      } finally {
        subscription.close();
      }
    },
  };
}

export type LogService = ReturnType<typeof createLogService>;

function piecesAfter(told: number, pieces: readonly LogChunk[]): LogChunk[] {
  const following: LogChunk[] = [];
  for (const piece of pieces) if (piece.seq === told + following.length + 1) following.push(piece);
  return following;
}

/** PostgreSQL cannot store NUL characters in text. */
export const readable = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');

export interface FilledPage {
  chunks: LogChunk[];
  /** Whether the page ends in a gap that the reader already knows about. */
  endsInSentGap: boolean;
}

function gapAfter(state: LogState, after: number): { from: number; until: number } | undefined {
  if (state.log_gap_until === 0 || after >= state.log_gap_until) return undefined;
  return { from: Math.max(after, state.log_head_seq) + 1, until: state.log_gap_until };
}

/**
 * Removed pieces appear without text, and the first one states how many bytes are missing. A reader that
 * starts inside the gap gets this at the last one.
 */
export function fillPage(
  state: LogState,
  after: number,
  limit: number,
  rows: readonly ChunkRow[],
  gapSent = false,
): FilledPage {
  const kept = rows.map(({ seq, at, body }) => ({ seq, at: at.toISOString(), text: body }));
  const gap = gapAfter(state, after);
  if (!gap) return { chunks: kept, endsInSentGap: false };
  const before = kept.filter(({ seq }) => seq < gap.from);
  if (before.length < gap.from - 1 - after) return { chunks: before, endsInSentGap: false };
  const page = [...before];
  const at = (state.started_at ?? new Date(0)).toISOString();
  const saidAt = gap.from === state.log_head_seq + 1 ? gap.from : gapSent ? undefined : gap.until;
  for (let seq = gap.from; seq <= gap.until && page.length < limit; seq += 1)
    page.push({
      seq,
      at,
      text: seq === saidAt ? sayGap(state.log_gap_bytes, seq > state.log_head_seq + 1) : '',
    });
  if (page.length < limit)
    page.push(...kept.filter(({ seq }) => seq > gap.until).slice(0, limit - page.length));
  const last = page.at(-1)?.seq ?? after;
  return { chunks: page, endsInSentGap: last <= gap.until && last >= (saidAt ?? gap.from) };
}

const sayGap = (bytes: number, behind: boolean): string =>
  `\n[${bytes} bytes of the log are left out ${behind ? 'up to here' : 'here'}]\n`;

/** Each sign of life is stored on the build, but only one per interval on the card. */
const WRITE_EVERY_MS = 5_000;

export function createLifeSigns({ db, clock, log, boards }: BuildDeps) {
  let heard = new Map<number, Set<string>>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    timer = undefined;
    const noted = heard;
    heard = new Map();
    try {
      for (const [brandId, builds] of noted) {
        const cards = await logStore(db, brandId).listCardsAtWork([...builds]);
        if (cards.length > 0) await boards.noteSignsOfLife(db, brandId, cards, clock.now());
      }
    } catch (error) {
      log.warn({ err: error }, 'Signs of life of builds could not be written on their cards');
    }
  }

  return {
    note(brandId: number, buildId: string): void {
      const builds = heard.get(brandId) ?? new Set();
      heard.set(brandId, builds.add(buildId));
      timer ??= setTimeout(() => void write(), WRITE_EVERY_MS).unref();
    },

    stop(): void {
      clearTimeout(timer);
    },
  };
}

export type LifeSigns = ReturnType<typeof createLifeSigns>;
