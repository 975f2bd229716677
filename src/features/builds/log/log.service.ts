import type { DeskCaller, MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import type { ServerSentEvent } from '../../../platform/http/answer/event-stream.js';
import { buildNotFound, emptyPiece, logFull, logGap } from '../builds.errors.js';
import type { LogChunk, LogPage } from '../builds.schemas.js';
import type { Lifecycle } from '../lifecycle/advance.js';
import type { BuildOptions } from '../record/builds.options.js';
import { buildStore } from '../record/builds.store.js';
import { hashClaim, requireOpenWork } from '../record/claim-check.js';
import { createAppendBatches } from './append-batches.js';
import type { LifeSigns } from './life-signs.js';
import { type LogPiece, type LogState, logStore } from './log.store.js';
import type { BuildNews } from './log-news.js';
import { type FilledPage, fillPage } from './log-page.js';

interface LogDeps extends Pick<BuildOptions, 'db' | 'clock' | 'holdsStill'> {
  news: BuildNews;
  lifecycle: Pick<Lifecycle, 'within' | 'settle'>;
  lifeSigns: LifeSigns;
}

const PAGE = 100;
/** Each is a row, however small it is. A desk writes up to ten a second for as long as a build may take. */
const MOST_PIECES = 250_000;
/** A stream looks by itself after this while, in case nobody told. */
const LOOK_AGAIN_MS = 5_000;

export function createLogService({ db, clock, news, lifecycle, lifeSigns, holdsStill }: LogDeps) {
  const batches = createAppendBatches({ db, clock });

  async function readAfter(
    brandId: number,
    buildId: string,
    after: number,
    limit: number,
    toldOfGap = false,
  ): Promise<FilledPage & { state: LogState }> {
    const found = await logStore(db, brandId).read(buildId, after, limit, clock.now());
    if (!found) throw buildNotFound();
    const { state, chunks } = found;
    return { ...fillPage(state, after, limit, chunks, toldOfGap), state };
  }

  /** A piece that does not simply follow: said before, too early, or of a build that does not run (any more). */
  async function appendCarefully(caller: DeskCaller, piece: LogPiece, claim: string | undefined) {
    const now = clock.now();
    await lifecycle.within(db, async (tx) => {
      const build = await buildStore(tx, caller.brandId).lock(piece.buildId, now);
      requireOpenWork(build, caller, claim);
      const { log_seq } = await lifecycle.settle(tx, build);
      if (piece.seq <= log_seq) return;
      // Before the gap: a desk that leaves a piece out is not asked for it again.
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
        news.noteWritten(buildId, { seq, at: at.toISOString(), text: piece.body });
      } else {
        await appendCarefully(caller, piece, claim);
        news.noteWritten(buildId);
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

    /** Every piece after one as it comes, until the build has ended and all is told, or the caller may no longer read it. */
    async *follow(
      caller: MemberCaller,
      buildId: string,
      after: number,
      signal: AbortSignal,
    ): AsyncGenerator<ServerSentEvent> {
      const bell = news.follow(buildId, signal);
      let told = after;
      let toldOfGap = false;
      try {
        while (true) {
          const page = await readAfter(caller.brandId, buildId, told, PAGE, toldOfGap);
          const { chunks, state } = page;
          for (const chunk of chunks) yield { id: String(chunk.seq), data: chunk };
          told = chunks.at(-1)?.seq ?? told;
          if (chunks.length > 0) toldOfGap = page.endsInToldGap;
          if (told < state.log_seq) continue;
          if (state.ended) return yield { event: 'end', data: { next: told } };
          for (let whole = true; whole; ) {
            const { verdict, pieces, more } = await bell.next(LOOK_AGAIN_MS);
            if (verdict === 'over') return;
            // A stream outlives the request's own check, so it asks again before it tells more.
            if (verdict === 'doubt' && !(await holdsStill(caller))) return;
            const following = piecesAfter(told, pieces);
            for (const chunk of following) yield { id: String(chunk.seq), data: chunk };
            told += following.length;
            if (following.length > 0) toldOfGap = false;
            whole = !more && told >= (pieces.at(-1)?.seq ?? 0);
          }
        }
      } catch (error) {
        // The build has gone with its workspace: the stream ends with it.
        if (!(error instanceof ApiError)) throw error;
      } finally {
        bell.close();
      }
    },
  };
}

export type LogService = ReturnType<typeof createLogService>;

/** Those that follow without a hole; what the reader has already is left out. */
function piecesAfter(told: number, pieces: readonly LogChunk[]): LogChunk[] {
  const following: LogChunk[] = [];
  for (const piece of pieces) if (piece.seq === told + following.length + 1) following.push(piece);
  return following;
}

/** Text that the database can keep: what is no UTF-8, and the one character it does not know, becomes a mark. */
export const readable = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');
