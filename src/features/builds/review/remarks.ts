import type { Clock } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Tx } from '../../../platform/database/database.js';
import type { CommentPlaces } from '../comments/comment-places.js';
import { commentStore } from '../comments/comments.store.js';
import type { PlacedRemark, Spot } from '../record/builds.parts.js';
import type { BuildRow } from '../record/builds.store.js';
import type { Remark, Verdict } from '../reviewer.schemas.js';

const MOST_COMMENTS = 1000;
const NOWHERE: Spot = { path: null, line: null, side: 'new', commit_sha: null, context: null };

/** What a reviewer says, as comments beside the lines; of places that are none it is said of all of it. */
export function createRemarks({ clock, places }: { clock: Clock; places: Pick<CommentPlaces, 'findSpot'> }) {
  async function place(build: BuildRow, { path, line, body, severity }: Remark): Promise<PlacedRemark> {
    const said = `**${severity}** ${body}`;
    for (const wanted of [{ path, line: line ?? undefined }, { path }]) {
      try {
        return { spot: await places.findSpot(build, wanted), body: said };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return { spot: NOWHERE, body: `${said}\n\n(${path}${line ? `:${line}` : ''})` };
  }

  return {
    /** May wait for the repository's host, so it is done before a transaction begins. */
    async place(build: BuildRow, { comments }: Verdict): Promise<PlacedRemark[]> {
      const placed: PlacedRemark[] = [];
      for (const remark of comments) placed.push(await place(build, remark));
      return placed;
    },

    /** In the transaction that ends the build, which holds it. By the coder, for whoever asked for the build. */
    async keep(tx: Tx, build: BuildRow, coder: string, placed: readonly PlacedRemark[]): Promise<void> {
      if (build.created_by === null || placed.length === 0) return;
      const store = commentStore(tx, build.brand_id);
      const room = MOST_COMMENTS - (await store.countOfLine(build.build_id));
      const by = { userId: build.created_by, agentId: coder };
      for (const { spot, body } of placed.slice(0, Math.max(0, room)))
        await store.insert(
          { comment_id: newId(), build_id: build.build_id, answers: null, body, ...spot },
          { by, at: clock.now(), draft: false },
        );
    },
  };
}
