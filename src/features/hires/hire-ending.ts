import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { type AuditActor, recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { IdentityService } from '../identity/index.js';
import { retireAgentDirectory } from '../memory/index.js';
import type { AgentWorkspaces } from './agent-workspaces.js';
import { type Desks, type Outcome, SERVICE_ACTOR } from './hire-building.js';
import { type HireRow, hireStore } from './hires.store.js';
import { hirePackageStore, type Released } from './packages.store.js';

export interface EndingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  desks: Pick<Desks, 'releaseDesk'>;
  workspaces: AgentWorkspaces;
  tokens: Pick<IdentityService['tokens'], 'revokeOfAgent'>;
}

/** What happens when a hire has come to its end: its installs, its desk and its tokens go, the agent itself stays registered. */
export function createHireEnder({ db, clock, log, desks, workspaces, tokens }: EndingOptions) {
  /** The caller holds the hire's row. */
  async function disable(tx: Tx, hire: HireRow, actor: AuditActor, now: Date): Promise<Released> {
    const released = await hirePackageStore(tx, hire.brand_id).release(hire.hire_id);
    if (hire.workstation_id) await desks.releaseDesk(tx, hire.brand_id, hire.workstation_id, actor);
    await retireAgentDirectory(tx, hire.agent_id, now);
    await tokens.revokeOfAgent(tx, hire.brand_id, hire.agent_id, actor);
    await hireStore(tx).writeDisabled(hire.hire_id, now);
    return released;
  }

  /** Best effort, after the commit; what stays behind now is tried again by the reconcile loop. */
  async function removeWorkspace(hireId: string, agentId: string): Promise<boolean> {
    const removed = await workspaces.remove(agentId);
    if (removed) await hireStore(db).writeWorkspaceRemoved(hireId, clock.now());
    else log.warn({ hire: hireId }, "A canceled hire's workspace directory could not be removed");
    return removed;
  }

  return {
    disable,
    removeWorkspace,

    /** Ends a hire whose period is over. */
    async end(hireId: string, wait: boolean): Promise<Outcome> {
      try {
        const ended = await inTransaction(db, async (tx) => {
          const hire = await hireStore(tx).claimToDisable(hireId, wait);
          if (!hire) return undefined;
          const now = clock.now();
          const released = await disable(tx, hire, SERVICE_ACTOR, now);
          await recordAudit(tx, {
            brandId: hire.brand_id,
            actor: SERVICE_ACTOR,
            action: 'hire.disabled',
            subject: `hire:${hireId}`,
            details: { ...released },
            at: now,
          });
          return hire;
        });
        if (!ended) return 'passed by';
        await removeWorkspace(hireId, ended.agent_id);
        return 'done';
      } catch (error) {
        log.warn({ hire: hireId, err: error }, 'A canceled hire could not be disabled; it is tried again');
        return 'failed';
      }
    },

    /** Removes the directory that an earlier attempt left behind. */
    async clear(hireId: string): Promise<Outcome> {
      const hire = await hireStore(db).findHire(hireId);
      if (!hire) return 'passed by';
      return (await removeWorkspace(hireId, hire.agent_id)) ? 'done' : 'failed';
    },
  };
}
