import { inTransaction } from '../../database/connection/transaction.js';
import type { Db, Tx } from '../../database/database.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type PersonalPart, pagedPart } from '../../kernel/personal-data.js';
import { MOST_VIEWS, nothingToChange, tooManyViews, viewNotFound } from './views.errors.js';
import type { View, ViewInput, ViewPatch } from './views.schemas.js';
import { listViewsOf, type ViewRow, viewStore } from './views.store.js';

export type ViewService = ReturnType<typeof createViewService>;

const toView = (row: ViewRow): View => ({ ...row, created_at: row.created_at.toISOString() });

/** What a person wants to find again; nobody else sees it. */
export function createViewService({ db, clock }: { db: Db; clock: Clock }) {
  const storeOf = ({ brandId, userId }: MemberCaller, within: Db | Tx = db) =>
    viewStore(within, brandId, userId);

  return {
    async listViews(caller: MemberCaller): Promise<{ views: View[]; total: number }> {
      const views = (await storeOf(caller).list()).map(toView);
      return { views, total: views.length };
    },

    createView: (caller: MemberCaller, { name, query }: ViewInput): Promise<View> =>
      inTransaction(db, async (tx) => {
        const store = storeOf(caller, tx);
        if ((await store.countLocked()) >= MOST_VIEWS) throw tooManyViews();
        const row = { view_id: newId(), name: name.trim(), query, created_at: clock.now() };
        await store.insert(row);
        return toView(row);
      }),

    async changeView(caller: MemberCaller, viewId: string, { name, query }: ViewPatch): Promise<View> {
      if (name === undefined && query === undefined) throw nothingToChange();
      const row = await storeOf(caller).change(viewId, { name: name?.trim(), query });
      if (!row) throw viewNotFound();
      return toView(row);
    },

    async deleteView(caller: MemberCaller, viewId: string): Promise<void> {
      if (!(await storeOf(caller).remove(viewId))) throw viewNotFound();
    },

    /** Whoever leaves a workspace leaves nothing of their own behind. */
    forgetLeaver: (tx: Tx, brandId: number, userId: number): Promise<void> =>
      viewStore(tx, brandId, userId).removeAll(),

    listPersonalParts: (userId: number): PersonalPart[] => [
      pagedPart(
        'saved_views',
        ({ view_id }: { view_id: string }) => view_id,
        (after, limit) => listViewsOf(db, userId, after, limit),
      ),
    ],
  };
}
