import type { Plan } from './access.js';

export const FEATURES = ['skills', 'feed', 'machines', 'crm'] as const;
export type Feature = (typeof FEATURES)[number];

export const CODERS = ['claude', 'codex', 'openhands', 'opencode', 'pi'] as const;
export type Coder = (typeof CODERS)[number];

export const isBuiltInCoder = (name: string): name is Coder => (CODERS as readonly string[]).includes(name);

/** The names that a desk's owner can give to their own coders. */
export const CODER_NAME = '^[a-z0-9-]{1,40}$';
const coderName = new RegExp(CODER_NAME);

interface PlanTerms {
  included: readonly Feature[];
  onByDefault: readonly Feature[];
  workstations: number;
  sources: number;
  openBuilds: number;
  buildsPerDay: number;
  webhooks: number;
  projects: number;
  /** Total size of all attachments. */
  attachmentBytes: number;
  coders: readonly Coder[];
}

const GIGABYTE = 1024 ** 3;

export const PLAN_TERMS: Record<Plan, PlanTerms> = {
  free: {
    included: ['skills', 'feed'],
    onByDefault: ['skills', 'feed'],
    workstations: 1,
    sources: 2,
    openBuilds: 1,
    buildsPerDay: 20,
    webhooks: 1,
    projects: 20,
    attachmentBytes: GIGABYTE,
    coders: ['claude', 'codex'],
  },
  team: {
    included: ['skills', 'feed', 'machines'],
    onByDefault: ['skills', 'feed', 'machines'],
    workstations: 5,
    sources: 10,
    openBuilds: 5,
    buildsPerDay: 200,
    webhooks: 5,
    projects: 100,
    attachmentBytes: 20 * GIGABYTE,
    coders: CODERS,
  },
  business: {
    included: FEATURES,
    onByDefault: ['skills', 'feed', 'machines'],
    workstations: 25,
    sources: 50,
    openBuilds: 25,
    buildsPerDay: 2000,
    webhooks: 20,
    projects: 400,
    attachmentBytes: 200 * GIGABYTE,
    coders: CODERS,
  },
  enterprise: {
    included: FEATURES,
    onByDefault: ['skills', 'feed', 'machines'],
    workstations: 250,
    sources: 500,
    openBuilds: 250,
    buildsPerDay: 20_000,
    webhooks: 100,
    projects: 1000,
    attachmentBytes: 2000 * GIGABYTE,
    coders: CODERS,
  },
};

export const RUNTIMES = ['claude_code', 'codex', 'custom'] as const;
export type Runtime = (typeof RUNTIMES)[number];

const CODERS_OF: Record<Runtime, readonly Coder[]> = {
  claude_code: ['claude'],
  codex: ['codex'],
  custom: CODERS,
};

/** The built-in coders that a desk with this runtime can run. */
export const codersOf = (runtime: Runtime): readonly Coder[] => CODERS_OF[runtime];

/** Coders that a desk's owner added run with every runtime. */
export const canRun = (runtime: Runtime, coder: string): boolean =>
  isBuiltInCoder(coder) ? codersOf(runtime).includes(coder) : coderName.test(coder);

/** The login that a coder needs. Guildhall cannot check the logins of other coders. */
const LOGIN_OF: Partial<Record<string, Runtime>> = { claude: 'claude_code', codex: 'codex' };
export const loginOf = (coder: string): Runtime | null => LOGIN_OF[coder] ?? null;

export interface DeskLogin {
  runtime: string;
  state: 'ok' | 'expired';
  since: string;
}

export interface Refusal {
  at: string;
  build_id: string;
  task_id: string;
  /** When the login state last changed to ok, or null if it was not ok. */
  ok_since: string | null;
}

export type Refusals = Readonly<Record<string, Refusal>>;

/** A rejected coder is skipped until the desk reports its login as ok again. */
export function isRefused(coder: string, refusals: Refusals, logins: readonly DeskLogin[]): boolean {
  const refusal = refusals[coder];
  const login = logins.find(({ runtime }) => runtime === loginOf(coder));
  return refusal !== undefined && !(login?.state === 'ok' && login.since !== refusal.ok_since);
}

const LOGIN_REFUSED = 'its login was refused';

/** The coders that a desk last reported, or undefined before its first request for work. */
export interface ReportedCoders {
  coders: readonly string[];
  missing: readonly { coder: string; reason: string }[];
  /** Coders whose login was rejected since the report. */
  refused?: readonly string[];
}

export interface DeskCoder {
  coder: string;
  ready: boolean;
  /** A phrase for the middle of a sentence, or null when the coder can run. */
  reason: string | null;
}

/** Lists the built-in coders first, then the others that the desk reported. */
export function explainCoders(runtime: Runtime, said: ReportedCoders | undefined): DeskCoder[] {
  const reported = [...(said?.coders ?? []), ...(said?.missing ?? []).map(({ coder }) => coder)];
  const names = new Set<string>([...CODERS, ...reported.filter((name) => canRun(runtime, name))]);
  return [...names].map((coder) => {
    const reason = explainFault(runtime, said, coder);
    return { coder, ready: reason === null, reason };
  });
}

/** The reason why the desk cannot run the coder, or null when it can. */
export function explainFault(
  runtime: Runtime,
  said: ReportedCoders | undefined,
  coder: string,
): string | null {
  if (!canRun(runtime, coder)) return `its runtime is ${runtime}`;
  if (!said) return 'it has not asked for work yet';
  if (said.refused?.includes(coder)) return LOGIN_REFUSED;
  if (said.coders.includes(coder)) return null;
  return said.missing.find((one) => one.coder === coder)?.reason ?? 'it is not installed';
}
