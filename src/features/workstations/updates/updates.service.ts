import type { MemberCaller } from '../../../kernel/access.js';
import { FORMER_MEMBER, showActor } from '../../../kernel/actors.js';
import type { Clock } from '../../../kernel/clock.js';
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
  type Requester,
  renameRequester,
  type UpdateRow,
  updateRequestStore,
} from './updates.store.js';

export type MachineUpdates = ReturnType<typeof createMachineUpdates>;

export function createMachineUpdates({ db, clock }: { db: Db; clock: Clock }) {
  return {
    forgetPerson: (tx: Tx, userId: number): Promise<void> => renameRequester(tx, userId, FORMER_MEMBER),

    requestOne(caller: MemberCaller, deskId: string): Promise<UpdateView> {
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const requests = updateRequestStore(tx, caller.brandId);
        const [candidate] = await requests.listCandidates(deskId);
        if (!candidate) throw deskNotFound();
        if (candidate.shared) throw sharedSidecar();
        if (!candidate.installed) throw notInstalled();
        const queued = await queueOnce(requests, deskId, caller, now);
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
        const updates = (await requests.listCandidates(null)).map((candidate) => ({
          deskId: candidate.desk_id,
          name: candidate.name,
          error: refusalOf(candidate),
        }));
        const queued = updates.filter(({ error }) => error === null).length;
        const failed = updates.length - queued;
        await requests.request(updates, requesterOf(caller), now);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'machine.updates_requested',
          subject: 'workstations',
          details: { queued, failed },
          at: now,
        });
        return {
          requests: updates.map(({ deskId, name, error }) => ({
            machine_id: deskId,
            machine_name: name,
            status: error === null ? 'queued' : 'failed',
            error,
          })),
          queued,
          failed,
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

/** The job may claim the queued request between the two statements. Then a new one is queued. */
async function queueOnce(
  requests: ReturnType<typeof updateRequestStore>,
  deskId: string,
  caller: MemberCaller,
  now: Date,
): Promise<UpdateRow> {
  for (;;) {
    await requests.request([{ deskId, error: null }], requesterOf(caller), now);
    const queued = await requests.findQueued(deskId);
    if (queued) return queued;
  }
}

const requesterOf = ({ userId, fullName, agent }: MemberCaller): Requester => ({
  userId,
  name: fullName,
  agentId: agent?.agentId ?? null,
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
