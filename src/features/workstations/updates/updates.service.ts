import type { MemberCaller } from '../../../kernel/access.js';
import { showActor } from '../../../kernel/actors.js';
import type { Clock } from '../../../kernel/clock.js';
import { FORMER_MEMBER } from '../../../kernel/former-member.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import {
  deskNotFound,
  NOT_INSTALLED,
  notInstalled,
  SHARED_SIDECAR,
  sharedSidecar,
} from '../workstations.errors.js';
import type { UpdateRecordView, UpdatesOfAllView, UpdateView } from './updates.schemas.js';
import {
  type Candidate,
  type NewUpdate,
  renameRequester,
  type UpdateRow,
  updateRequestStore,
} from './updates.store.js';

export type MachineUpdates = ReturnType<typeof createMachineUpdates>;

/** Requests to update machines: queued once, carried out when no build runs. */
export function createMachineUpdates({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** An erased person is named no more. */
    forgetPerson: (tx: Tx, userId: number): Promise<void> => renameRequester(tx, userId, FORMER_MEMBER),

    requestOne(caller: MemberCaller, deskId: string): Promise<UpdateView> {
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const requests = updateRequestStore(tx, caller.brandId);
        const [candidate] = await requests.listCandidates(deskId);
        if (!candidate) throw deskNotFound();
        if (candidate.shared) throw sharedSidecar();
        if (!candidate.installed) throw notInstalled();
        const queued = await queueOnce(requests, newRequest(caller, deskId, now));
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'machine.update_requested',
          subject: `workstation:${deskId}`,
          at: now,
        });
        return viewRequest(queued);
      });
    },

    requestAll(caller: MemberCaller): Promise<UpdatesOfAllView> {
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const requests = updateRequestStore(tx, caller.brandId);
        const judged = (await requests.listCandidates(null)).map((candidate) => ({
          ...candidate,
          error: refusalOf(candidate),
        }));
        const refused = judged.flatMap(({ desk_id, error }) =>
          error === null ? [] : [{ ...newRequest(caller, desk_id, now), error }],
        );
        const accepted = judged
          .filter(({ error }) => error === null)
          .map(({ desk_id }) => newRequest(caller, desk_id, now));
        await requests.queue(accepted);
        await requests.recordRefusals(refused);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'machine.updates_requested',
          subject: 'workstations',
          details: { queued: accepted.length, failed: refused.length },
          at: now,
        });
        return {
          requests: judged.map(({ desk_id, name, error }) => ({
            machine_id: desk_id,
            machine_name: name,
            status: error === null ? 'queued' : 'failed',
            error,
          })),
          queued: accepted.length,
          failed: refused.length,
          requested_at: now.toISOString(),
        };
      });
    },

    async list(
      brandId: number,
      deskId: string,
      limit: number,
    ): Promise<{ updates: UpdateRecordView[]; total: number }> {
      const requests = updateRequestStore(db, brandId);
      const [candidate] = await requests.listCandidates(deskId);
      if (!candidate) throw deskNotFound();
      const { updates, total } = await requests.list(deskId, limit);
      return { updates: updates.map(viewRecord), total };
    },
  };
}

/** A request that was queued already can be taken up by a pass just now; then there is room for a new one. */
async function queueOnce(
  requests: ReturnType<typeof updateRequestStore>,
  request: NewUpdate,
): Promise<UpdateRow> {
  for (;;) {
    await requests.queue([request]);
    const queued = await requests.findQueued(request.deskId);
    if (queued) return queued;
  }
}

const newRequest = (caller: MemberCaller, deskId: string, now: Date): NewUpdate => ({
  updateId: newId(),
  deskId,
  requestedBy: caller.userId,
  requestedByName: caller.fullName,
  requestedByAgent: caller.agent?.agentId ?? null,
  now,
});

function refusalOf(candidate: Candidate): string | null {
  if (candidate.shared) return SHARED_SIDECAR;
  return candidate.installed ? null : NOT_INSTALLED;
}

const viewRequest = (row: UpdateRow): UpdateView => ({
  id: row.update_id,
  machine_id: row.desk_id,
  machine_name: row.machine_name,
  status: row.status,
  requested_by: showActor({
    user_id: row.requested_by,
    person: row.requested_by_name,
    agent_id: row.requested_by_agent,
    agent: row.agent_name,
  }),
  requested_at: row.requested_at.toISOString(),
  wait_for_idle: row.wait_for_idle,
  error: row.error,
});

const viewRecord = (row: UpdateRow): UpdateRecordView => ({
  ...viewRequest(row),
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
  from_version: row.from_version,
  from_code_digest: row.from_code_digest,
  to_version: row.to_version,
  to_code_digest: row.to_code_digest,
});
