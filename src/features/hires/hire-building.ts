import type { Clock } from '../../kernel/clock.js';
import { ApiError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { type AuditActor, recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { WebhookOutbox } from '../../platform/outbox/webhook-outbox.js';
import { claimAgentWithDirectory } from '../memory/index.js';
import type { AgentWorkspaces } from './agent-workspaces.js';
import {
  type DeskRuntime,
  deskRuntime,
  packagesOf,
  type Repository,
  type StepKey,
  stepsOf,
} from './hires.rules.js';
import { type HireRow, hireStore } from './hires.store.js';
import { hirePackageStore } from './packages.store.js';

/** Where builders get their desks from; the workstations feature has this form. */
export interface Desks {
  /** Joins the transaction; refuses with an `ApiError` when the plan's cap is reached. */
  orderDesk(tx: Tx, brandId: number, order: DeskOrder, actor: AuditActor): Promise<{ workstationId: string }>;
  /** Joins the transaction; false when the workspace has released it before. */
  releaseDesk(tx: Tx, brandId: number, workstationId: string, actor: AuditActor): Promise<boolean>;
  /** Those of the ids that are still a desk's. */
  listExisting(workstationIds: string[]): Promise<string[]>;
}

interface DeskOrder {
  name: string;
  description: string;
  runtime: DeskRuntime;
  repository: { url: string; branch?: string } | null;
}

/** Who did what happens without being asked. */
export const SERVICE_ACTOR: AuditActor = { kind: 'service' };

export interface BuildingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  desks: Pick<Desks, 'orderDesk'>;
  workspaces: AgentWorkspaces;
  outbox: Pick<WebhookOutbox, 'tell'>;
}

interface Build {
  tx: Tx;
  hire: HireRow;
  workstationId: string | null;
  now: Date;
}

/** `waits`: something refuses the hire for now, such as the plan's cap; that is no failure. */
export type Outcome = 'done' | 'failed' | 'waits' | 'passed by';

/**
 * Builds one hire. Everything in the database commits at once, with the hire's new status, and the directory is made
 * right before the commit: whatever interrupts a build, the hire is either not built or built as a whole. What a lost
 * attempt left on the disk is overwritten by the next one or removed by a cancel.
 */
export function createHireBuilder({ db, clock, log, desks, workspaces, outbox }: BuildingOptions) {
  const steps: Record<StepKey, (build: Build) => Promise<void>> = {
    async agent({ tx, hire, now }) {
      const agent = { agentId: hire.agent_id, name: hire.employee_name, now };
      if (!(await claimAgentWithDirectory(tx, hire.brand_id, agent)))
        throw new Error(`The agent id ${hire.agent_id} belongs to somebody else`);
    },

    async packages({ tx, hire, now }) {
      await hirePackageStore(tx, hire.brand_id).hold(hire.hire_id, packagesOf(hire.template), now);
    },

    async desk(build) {
      const { tx, hire } = build;
      const order = {
        name: hire.employee_name,
        description: `Desk of the hired builder ${hire.employee_name}`,
        runtime: deskRuntime(hire.template),
        repository: boundRepository(hire.repository),
      };
      build.workstationId = (await desks.orderDesk(tx, hire.brand_id, order, SERVICE_ACTOR)).workstationId;
    },

    async workspace({ hire, workstationId }) {
      await workspaces.set({
        agent_id: hire.agent_id,
        name: hire.employee_name,
        brand_id: hire.brand_id,
        hire_id: hire.hire_id,
        profile_id: hire.profile_id,
        runtime: hire.template.runtime ?? null,
        instructions: hire.template.instructions ?? null,
        packages: packagesOf(hire.template),
        workstation_id: workstationId,
        repository: hire.repository,
        hired_at: hire.created_at,
      });
    },
  };

  async function recordFailure(hireId: string, step: StepKey, error: unknown): Promise<Outcome> {
    const reason = describeFailure(step, error);
    const isNew = await hireStore(db).writeFailure(hireId, step, reason);
    if (!(error instanceof ApiError)) {
      log.warn({ hire: hireId, step, err: error }, 'A hire could not be built; it is tried again');
      return 'failed';
    }
    if (isNew) log.info({ hire: hireId, step }, `A hire waits: ${reason}`);
    return 'waits';
  }

  return {
    async build(hireId: string, wait: boolean): Promise<Outcome> {
      let step: StepKey = 'agent';
      try {
        return await inTransaction(db, async (tx): Promise<Outcome> => {
          const hire = await hireStore(tx).claimToBuild(hireId, wait);
          if (!hire) return 'passed by';
          const build: Build = { tx, hire, workstationId: null, now: clock.now() };
          for (step of stepsOf(hire)) await steps[step](build);
          await hireStore(tx).writeBuilt(hireId, build.workstationId, build.now);
          await recordAudit(tx, {
            brandId: hire.brand_id,
            actor: SERVICE_ACTOR,
            action: 'hire.built',
            subject: `hire:${hireId}`,
            details: { agent_id: hire.agent_id, workstation_id: build.workstationId },
            at: build.now,
          });
          const { brand_id: brandId, profile_id, agent_id } = hire;
          const data = { hire_id: hireId, profile_id, agent_id, workstation_id: build.workstationId };
          await outbox.tell(tx, [{ brandId, type: 'hire.active', at: build.now, data }]);
          return 'done';
        });
      } catch (error) {
        return recordFailure(hireId, step, error);
      }
    },
  };
}

const boundRepository = (repository: Repository | null) =>
  repository && { url: repository.url, ...(repository.branch && { branch: repository.branch }) };

const FAILURES: Record<StepKey, string> = {
  agent: 'The agent could not be registered; it is tried again',
  packages: 'The packages could not be installed; it is tried again',
  desk: 'The desk could not be assigned; it is tried again',
  workspace: 'The workspace directory could not be set up; it is tried again',
};

/** A refusal explains itself; anything else may hold what is nobody's business and goes to the log only. */
function describeFailure(step: StepKey, error: unknown): string {
  if (!(error instanceof ApiError)) return FAILURES[step];
  if (typeof error.detail === 'string') return error.detail;
  const { message } = error.detail;
  return typeof message === 'string' ? message : FAILURES[step];
}
