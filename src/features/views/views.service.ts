import type { MemberCaller } from '../../kernel/access.js';
import { type PersonalPart, pagedPart } from '../../kernel/actors.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import {
  guestsDoNotShare,
  MOST_VIEWS,
  nothingToChange,
  notYourView,
  tooManyViews,
  viewNotFound,
} from './views.errors.js';
import type { View, ViewInput, ViewPatch } from './views.schemas.js';
import { listViewsOf, type ViewRow, viewStore } from './views.store.js';

export type ViewService = ReturnType<typeof createViewService>;

const toView = ({ owner_id, owner_name, created_at, ...rest }: ViewRow): View => ({
  view_id: rest.view_id,
  name: rest.name,
  query: rest.query,
  created_at: created_at.toISOString(),
  shared: rest.shared,
  owner: { user_id: owner_id, name: owner_name, agent_id: null },
});

/** Saved searches, called views. They are private unless shared, and guests cannot share. */
export function createViewService({ db, clock }: { db: Db; clock: Clock }) {
  const storeOf = ({ brandId, userId }: MemberCaller, within: Db | Tx = db) =>
    viewStore(within, brandId, userId);

  return {
    async listViews(caller: MemberCaller): Promise<{ views: View[]; total: number }> {
      const views = (await storeOf(caller).list({ withShared: caller.role !== 'guest' })).map(toView);
      return { views, total: views.length };
    },

    createView: (caller: MemberCaller, { name, query, shared = false }: ViewInput): Promise<View> =>
      inTransaction(db, async (tx) => {
        if (shared) requireSharer(caller);
        const store = storeOf(caller, tx);
        if ((await store.countLocked()) >= MOST_VIEWS) throw tooManyViews();
        const viewId = newId();
        await store.insert(viewId, { name: name.trim(), query, shared }, clock.now());
        return toView((await store.find(viewId))!);
      }),

    async changeView(caller: MemberCaller, viewId: string, patch: ViewPatch): Promise<View> {
      const { name, query, shared } = patch;
      if (Object.values(patch).every((value) => value === undefined)) throw nothingToChange();
      if (shared) requireSharer(caller);
      return inTransaction(db, async (tx) => {
        const store = storeOf(caller, tx);
        const before = await getChangeable(store, caller, viewId);
        await store.change(viewId, { name: name?.trim(), query, shared });
        // The store no longer finds another person's view after an admin has stopped sharing it.
        return toView({
          ...before,
          name: name?.trim() ?? before.name,
          query: query ?? before.query,
          shared: shared ?? before.shared,
        });
      });
    },

    deleteView: (caller: MemberCaller, viewId: string): Promise<void> =>
      inTransaction(db, async (tx) => {
        const store = storeOf(caller, tx);
        await getChangeable(store, caller, viewId);
        await store.remove(viewId);
      }),

    deleteViews: (tx: Tx, brandId: number, userId: number): Promise<void> =>
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

function requireSharer({ role }: MemberCaller): void {
  if (role === 'guest') throw guestsDoNotShare();
}

/** A view that the caller may change: their own or, for an admin, a shared one. */
async function getChangeable(
  store: ReturnType<typeof viewStore>,
  { userId, role }: MemberCaller,
  viewId: string,
): Promise<ViewRow> {
  const row = await store.find(viewId);
  if (!row || (role === 'guest' && row.owner_id !== userId)) throw viewNotFound();
  if (row.owner_id !== userId && role !== 'admin') throw notYourView();
  return row;
}
