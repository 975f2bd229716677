import { access, chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.js';
import { ApiError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { type AuditActor, recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { replaceFile } from '../../platform/files/atomic-file.js';
import type { WebhookOutbox } from '../../platform/outbox/outbox.js';
import type { IdentityService } from '../identity/index.js';
import { claimAgentWithDirectory, retireAgentDirectory } from '../memory/index.js';
import {
  type DeskRuntime,
  deskRuntime,
  packagesOf,
  type Repository,
  type StepKey,
  stepsOf,
} from './hires.rules.js';
import { type HireRow, hirePackageStore, hireStore, type Released } from './hires.store.js';

/** Provides desks for builders; the workstations feature implements it. */
export interface Desks {
  /** Joins the transaction; refuses with an `ApiError` when the plan's limit is reached. */
  orderDesk(tx: Tx, brandId: number, order: DeskOrder, actor: AuditActor): Promise<{ deskId: string }>;
  /** Joins the transaction; false when the workspace has already released it. */
  releaseDesk(tx: Tx, brandId: number, workstationId: string, actor: AuditActor): Promise<boolean>;
  listExisting(workstationIds: string[]): Promise<string[]>;
}

interface DeskOrder {
  name: string;
  description: string;
  runtime: DeskRuntime;
  repository: { url: string; branch?: string } | null;
}

const SERVICE_ACTOR: AuditActor = { kind: 'service' };

interface BuildingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  desks: Pick<Desks, 'orderDesk'>;
  workspaces: AgentWorkspaces;
  outbox: Pick<WebhookOutbox, 'record'>;
}

interface Build {
  tx: Tx;
  hire: HireRow;
  workstationId: string | null;
  now: Date;
}

/** `waits`: a refusal that may pass, such as the plan's limit, which is not a failure. */
export type Outcome = 'done' | 'failed' | 'waits' | 'passed by';

/**
 * Builds one hire. All rows commit in one transaction with the new status, and the directory is created right
 * before the commit, so a hire is built completely or not at all. The next attempt overwrites leftover files,
 * and a cancel removes them.
 */
export function createHireBuilder({ db, clock, log, desks, workspaces, outbox }: BuildingOptions) {
  const steps: Record<StepKey, (build: Build) => Promise<void>> = {
    async agent({ tx, hire, now }) {
      const agent = { agentId: hire.agent_id, name: hire.employee_name, now };
      if (!(await claimAgentWithDirectory(tx, hire.brand_id, agent)))
        throw new Error(`The agent id ${hire.agent_id} belongs to someone else`);
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
      build.workstationId = (await desks.orderDesk(tx, hire.brand_id, order, SERVICE_ACTOR)).deskId;
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
          await outbox.record(tx, [{ brandId, type: 'hire.active', at: build.now, data }]);
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

/** An ApiError explains itself; other errors may contain internals and go only to the log. */
function describeFailure(step: StepKey, error: unknown): string {
  if (!(error instanceof ApiError)) return FAILURES[step];
  if (typeof error.detail === 'string') return error.detail;
  const { message } = error.detail;
  return typeof message === 'string' ? message : FAILURES[step];
}

export interface EndingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  desks: Pick<Desks, 'releaseDesk'>;
  workspaces: AgentWorkspaces;
  tokens: Pick<IdentityService['tokens'], 'revokeOfAgent'>;
}

/** Ends a hire: releases its installs, desk and tokens. The agent stays registered. */
export function createHireEnder({ db, clock, log, desks, workspaces, tokens }: EndingOptions) {
  /** The caller holds the lock on the hire's row. */
  async function disable(tx: Tx, hire: HireRow, actor: AuditActor, now: Date): Promise<Released> {
    const released = await hirePackageStore(tx, hire.brand_id).release(hire.hire_id);
    if (hire.workstation_id) await desks.releaseDesk(tx, hire.brand_id, hire.workstation_id, actor);
    await retireAgentDirectory(tx, hire.agent_id, now);
    await tokens.revokeOfAgent(tx, hire.brand_id, hire.agent_id, actor);
    await hireStore(tx).writeDisabled(hire.hire_id, now);
    return released;
  }

  /** Runs after the commit; the reconcile loop repeats a failed removal. */
  async function removeWorkspace(hireId: string, agentId: string): Promise<boolean> {
    const removed = await workspaces.remove(agentId);
    if (removed) await hireStore(db).writeWorkspaceRemoved(hireId, clock.now());
    else log.warn({ hire: hireId }, "A canceled hire's workspace directory could not be removed");
    return removed;
  }

  return {
    disable,
    removeWorkspace,

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

    /** Removes the directory that an earlier attempt left. */
    async clear(hireId: string): Promise<Outcome> {
      const hire = await hireStore(db).findHire(hireId);
      if (!hire) return 'passed by';
      return (await removeWorkspace(hireId, hire.agent_id)) ? 'done' : 'failed';
    },
  };
}

/** The section that the hourly memory export fills; its markers must match the export's. */
const EMPTY_MEMORY = `# Memory

<!-- guildhall:memory:begin -->
<!-- guildhall:memory:end -->
`;

interface AgentConfiguration {
  agent_id: string;
  name: string;
  [key: string]: unknown;
}

/** The directory of each agent with its configuration entry `agent.json` and its `MEMORY.md`. */
interface AgentWorkspaces {
  /** Can be repeated: overwrites the entry and keeps an existing memory. */
  set(configuration: AgentConfiguration): Promise<void>;
  /** True when nothing is left; never throws. */
  remove(agentId: string): Promise<boolean>;
}

const PRIVATE = { mode: 0o600 };

const AGENT_ID = /^[A-Za-z0-9_-]{1,255}$/;

export function createAgentWorkspaces(agentsDir: string): AgentWorkspaces {
  const folderOf = (agentId: string): string => {
    if (!AGENT_ID.test(agentId)) throw new Error('An agent id that is no plain name has no folder');
    return join(agentsDir, agentId);
  };

  return {
    async set(configuration) {
      const folder = folderOf(configuration.agent_id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // An existing folder may be readable by all. If another user owns it, its mode stays.
      await chmod(folder, 0o700).catch(() => undefined);
      await replaceFile(join(folder, 'agent.json'), `${JSON.stringify(configuration, null, 2)}\n`, PRIVATE);
      const memory = join(folder, 'MEMORY.md');
      if (!(await exists(memory))) await replaceFile(memory, EMPTY_MEMORY, PRIVATE);
    },

    async remove(agentId) {
      try {
        await rm(folderOf(agentId), { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
