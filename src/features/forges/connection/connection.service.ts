import type { MemberCaller } from '../../../kernel/access.js';
import { showActor } from '../../../kernel/actors.js';
import type { ApiError } from '../../../kernel/errors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { readForgeAddress, webUrlOf } from '../adapter/address.js';
import {
  type ForgeAddress,
  ForgeFailed,
  type ForgeFault,
  type OpenForge,
  type Standing,
} from '../adapter/forge.js';
import {
  boardUnknown,
  forgeNotFound,
  hostBusy,
  hostPuzzling,
  hostUnreachable,
  labelBlank,
  mayNotOpen,
  mayNotPush,
  projectNotFound,
  repositoryUnknown,
  tokenRefused,
  tokenUnsendable,
} from '../forges.errors.js';
import type { ForgeInput, ForgeView } from '../forges.schemas.js';
import { type ForgeRow, forgeStore } from './connection.store.js';
import { type ForgeAccess, newHookSecret, retireHookSecret, sealHookSecret } from './forge-access.js';
import type { ForgeOptions } from './forges.options.js';

interface TriedForge {
  apiUrl: string;
  repository: string;
  defaultBranch: string;
}

export type ConnectionService = ReturnType<typeof createConnectionService>;

type ConnectionOptions = Pick<
  ForgeOptions,
  'db' | 'clock' | 'secrets' | 'baseUrl' | 'projects' | 'boards' | 'requireStillAdmin'
> & {
  open: OpenForge;
  access: Pick<ForgeAccess, 'sealToken'>;
};

export function createConnectionService(options: ConnectionOptions) {
  const { db, clock, secrets, projects, boards, open, access, requireStillAdmin } = options;
  const hooks = `${options.baseUrl.replace(/\/+$/, '')}/api/v1/hooks`;

  async function getProject(caller: MemberCaller, projectId: string) {
    const project = await projects.findProject(caller.brandId, projectId);
    if (!project) throw projectNotFound();
    return project;
  }

  /** The audit entry contains neither the token nor the webhook secret. */
  const record = (tx: Tx, caller: MemberCaller, action: string, projectId: string, details: object = {}) =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: `forge.${action}`,
      subject: `project:${projectId}`,
      details: { ...details },
      at: clock.now(),
    });

  async function get(caller: MemberCaller, projectId: string): Promise<ForgeView> {
    await getProject(caller, projectId);
    const row = await forgeStore(db, caller.brandId).findShown(projectId);
    if (!row) throw forgeNotFound();
    return {
      kind: row.kind,
      api_url: row.api_url,
      repository: row.repository,
      default_branch: row.default_branch,
      issues: row.issues_label === null ? null : { label: row.issues_label, board_id: row.issues_board_id },
      hook: {
        url: `${hooks}/${projectId}`,
        secret_set: row.hook_secret !== null,
        last_at: row.hook_last_at?.toISOString() ?? null,
      },
      checked_at: row.checked_at?.toISOString() ?? null,
      error: row.error,
      connected_by: showActor(row.connector),
      connected_at: row.connected_at.toISOString(),
    };
  }

  async function requireValidIssues(caller: MemberCaller, { issues }: ForgeInput): Promise<void> {
    if (!issues) return;
    if (issues.label.trim() === '') throw labelBlank();
    const { board_id: boardId } = issues;
    if (boardId && !(await boards.isOwnBoard(caller.brandId, boardId))) throw boardUnknown();
  }

  /** Calls the host, which may be slow, so it runs outside of any transaction. */
  async function tryOut(caller: MemberCaller, projectId: string, input: ForgeInput): Promise<TriedForge> {
    const { kind, token } = input;
    const project = await getProject(caller, projectId);
    const { apiUrl, repository } = readForgeAddress(input, project.repository_url);
    if (!/^[\x21-\x7e]+$/.test(token)) throw tokenUnsendable();
    await requireValidIssues(caller, input);
    const standing = await askStanding(open, { kind, apiUrl, repository, token });
    requireStanding(standing);
    return { apiUrl, repository: standing.repository, defaultBranch: standing.defaultBranch };
  }

  return {
    get,

    async connect(caller: MemberCaller, projectId: string, input: ForgeInput): Promise<ForgeView> {
      const { apiUrl, repository, defaultBranch } = await tryOut(caller, projectId, input);
      const { kind, issues } = input;
      const draft = {
        kind,
        api_url: apiUrl,
        repository,
        sealed_token: access.sealToken(projectId, input.token),
        default_branch: defaultBranch,
        issues_label: issues?.label.trim() ?? null,
        issues_board_id: issues?.board_id?.toLowerCase() ?? null,
        connected_by: caller.userId,
      };
      await inTransaction(db, async (tx) => {
        await requireStillAdmin(tx, caller);
        const now = clock.now();
        const store = forgeStore(tx, caller.brandId);
        const before = await store.lock(projectId);
        if (!(await store.save(projectId, draft, now))) throw projectNotFound();
        if (!before || !isSameRepository(before, draft))
          await store.keepPullRequestsOf(projectId, `${webUrlOf(kind, apiUrl)}/${repository}`, now);
        const { api_url, issues_label, issues_board_id } = draft;
        await record(tx, caller, before ? 'changed' : 'connected', projectId, {
          kind,
          api_url,
          repository,
          issues: issues_label === null ? null : { label: issues_label, board_id: issues_board_id },
        });
      });
      return get(caller, projectId);
    },

    /** The previous secret stays valid for a day, so that the webhook can be changed. */
    async renewHookSecret(caller: MemberCaller, projectId: string): Promise<{ secret: string }> {
      await getProject(caller, projectId);
      const secret = newHookSecret();
      await inTransaction(db, async (tx) => {
        await requireStillAdmin(tx, caller);
        const store = forgeStore(tx, caller.brandId);
        const before = await store.lock(projectId);
        if (!before) throw forgeNotFound();
        const sealed = sealHookSecret(secrets, projectId, secret);
        await store.saveHookSecret(projectId, sealed, retireHookSecret(before, clock.now()));
        await record(tx, caller, 'hook_secret_renewed', projectId);
      });
      return { secret };
    },

    async disconnect(caller: MemberCaller, projectId: string): Promise<void> {
      const project = await getProject(caller, projectId);
      await inTransaction(db, async (tx) => {
        const store = forgeStore(tx, project.brand_id);
        const before = await store.lock(projectId);
        if (!before || !(await store.remove(projectId))) throw forgeNotFound();
        const { kind, api_url, repository } = before;
        await record(tx, caller, 'disconnected', projectId, { kind, api_url, repository });
      });
    },
  };
}

const REFUSALS: Record<ForgeFault, () => ApiError> = {
  unreachable: hostUnreachable,
  refused: tokenRefused,
  missing: repositoryUnknown,
  limited: hostBusy,
  invalid: hostPuzzling,
};

async function askStanding(open: OpenForge, address: ForgeAddress): Promise<Standing> {
  try {
    return await open(address).tryOut();
  } catch (error) {
    throw error instanceof ForgeFailed ? REFUSALS[error.fault]() : error;
  }
}

function requireStanding({ mayPush, mayOpenPullRequests }: Standing): void {
  if (!mayPush) throw mayNotPush();
  if (!mayOpenPullRequests) throw mayNotOpen();
}

const isSameRepository = (one: Repository, other: Repository): boolean =>
  one.kind === other.kind &&
  one.api_url.toLowerCase() === other.api_url.toLowerCase() &&
  one.repository.toLowerCase() === other.repository.toLowerCase();

type Repository = Pick<ForgeRow, 'kind' | 'api_url' | 'repository'>;
