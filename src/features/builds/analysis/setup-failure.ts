import type { Tx } from '../../../platform/database/database.js';
import type { Analysis, GateNote } from '../analysis.schemas.js';
import { withReason } from '../analysis.schemas.js';
import type { BuildRow } from '../record/builds.store.js';
import { gateStore } from './analysis.store.js';

const RISK = { reason: 'the setup of its checks failed', points: 30 };

/** In the transaction that ends the checks, which holds the build. A change that is not analyzed yet gets its risk later. */
export async function noteFailedSetup(tx: Tx, build: BuildRow, text: string): Promise<void> {
  const store = gateStore(tx, build.brand_id);
  await store.addNote(build.build_id, { kind: 'setup_failed', text });
  if (build.risk) await store.saveRisk(build.build_id, withReason(build.risk, RISK));
}

/** What an analysis does not find out by itself. */
const ADDED_BY_OTHERS: readonly GateNote['kind'][] = ['setup_failed', 'review'];

/** An analysis with the notes that others added: analyzed twice, a build shows the same. */
export function withAddedNotes({ notes, risk }: Analysis, before: readonly GateNote[]): Analysis {
  const added = before.filter(({ kind }) => ADDED_BY_OTHERS.includes(kind));
  const failed = added.some(({ kind }) => kind === 'setup_failed');
  return { notes: [...notes, ...added], risk: failed ? withReason(risk, RISK) : risk };
}
