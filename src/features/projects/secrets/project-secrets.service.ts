import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { CallerChecks } from '../../identity/index.js';
import {
  projectNotFound,
  projectSecretNotFound,
  secretNameInvalid,
  secretNameReserved,
  secretTooLarge,
  secretWithZero,
  tooManySecrets,
} from '../projects.errors.js';
import { projectStore } from '../repository/projects.store.js';
import {
  LARGEST_SECRET_BYTES,
  type ProjectSecret,
  type ProjectSecretInput,
  type SecretRecipient,
} from './project-secrets.schemas.js';
import { type ProjectSecretRow, projectSecretStore } from './project-secrets.store.js';

const MOST_SECRETS = 50;

/** Desks refuse these, because they change how programs run. */
const RESERVED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|IFS|ENV|BASH_.*|SHELLOPTS|LD_.*|DYLD_.*|GIT_.*|GUILDHALL_.*|NODE_(OPTIONS|PATH)|PYTHON(PATH|STARTUP|HOME)|PERL5?(LIB|OPT)|RUBY(LIB|OPT)|JAVA_TOOL_OPTIONS)$/;

interface SecretDeps {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  requireStillAdmin: CallerChecks['requireStillAdmin'];
}

/** Environment variables that the setup, the checks or the coder of a project's builds get. */
export function createProjectSecrets({ db, clock, secrets, requireStillAdmin }: SecretDeps) {
  /** The project is locked, so that the number of its secrets stays true until the commit. */
  const change = <T>(
    caller: MemberCaller,
    projectId: string,
    { action, name }: { action: 'set' | 'deleted'; name: string },
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> =>
    inTransaction(db, async (tx) => {
      await requireStillAdmin(tx, caller);
      if (!(await projectStore(tx, caller.brandId).lock(projectId))) throw projectNotFound();
      const done = await work(tx);
      await recordAudit(tx, {
        brandId: caller.brandId,
        actor: caller,
        action: `project_secret.${action}`,
        subject: `project:${projectId}`,
        details: { name },
        at: clock.now(),
      });
      return done;
    });

  return {
    async list({ brandId }: MemberCaller, projectId: string): Promise<{ secrets: ProjectSecret[] }> {
      if (!(await projectStore(db, brandId).find(projectId))) throw projectNotFound();
      return { secrets: (await projectSecretStore(db, brandId).list(projectId)).map(viewSecret) };
    },

    async set(
      caller: MemberCaller,
      projectId: string,
      name: string,
      { value, to: recipients = ['setup', 'checks'] }: ProjectSecretInput,
    ): Promise<ProjectSecret> {
      if (!/^[A-Z0-9_]{1,64}$/.test(name)) throw secretNameInvalid();
      if (RESERVED.test(name)) throw secretNameReserved(name);
      if (Buffer.byteLength(value) > LARGEST_SECRET_BYTES) throw secretTooLarge();
      if (value.includes('\0')) throw secretWithZero();
      return change(caller, projectId, { action: 'set', name }, async (tx) => {
        const store = projectSecretStore(tx, caller.brandId);
        const before = await store.list(projectId);
        if (before.length >= MOST_SECRETS && !before.some((one) => one.name === name))
          throw tooManySecrets(MOST_SECRETS);
        const sealed = secrets.seal(value, placeOf(projectId, name));
        return viewSecret(await store.save(projectId, { name, sealed, recipients }, clock.now()));
      });
    },

    remove: (caller: MemberCaller, projectId: string, name: string): Promise<void> =>
      change(caller, projectId, { action: 'deleted', name }, async (tx) => {
        if (!(await projectSecretStore(tx, caller.brandId).remove(projectId, name)))
          throw projectSecretNotFound();
      }),

    /** The variables of each recipient. */
    async open(
      brandId: number,
      projectId: string,
      recipients: readonly SecretRecipient[],
    ): Promise<Record<SecretRecipient, Record<string, string>>> {
      const opened = { setup: {}, checks: {}, coder: {} } as Record<SecretRecipient, Record<string, string>>;
      for (const row of await projectSecretStore(db, brandId).listSealed(projectId, recipients)) {
        const value = secrets.open(row.sealed, placeOf(projectId, row.name));
        for (const recipient of row.recipients) opened[recipient][row.name] = value;
      }
      return opened;
    },
  };
}

const placeOf = (projectId: string, name: string): string => `project-secret:${projectId}:${name}`;

const viewSecret = ({ name, recipients, created_at, updated_at }: ProjectSecretRow): ProjectSecret => ({
  name,
  to: recipients,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});
