export const CLAIM_HEADER = 'x-guildhall-claim';

export const LOG_PART_BYTES = 256 * 1024;
export const COMMITS_LIMIT_BYTES = 64 * 1024 * 1024;
export const LONGEST_WAIT_SECONDS = 50;

export const CODERS = ['claude', 'codex', 'openhands', 'opencode', 'pi'] as const;

export interface WorkRequest {
  nonce: string;
  /** How many more builds this desk can take. */
  slots: number;
  /** With versions if the service supports them. */
  coders: (string | { name: string; version: string | null })[];
  /** The coders that the owner's wrapper runs; sent by desks that may have a wrapper. */
  wrapped?: string[];
  /**
   * Why the other coders cannot run. Sent only when there are some, because older services reject the field.
   */
  missing?: { coder: string; reason: string }[];
  /** Only the id when no progress is known, or when the service is older. */
  running: (string | { build_id: string; progress_at?: string; progress_percent?: number })[];
  wait_seconds: number;
}

export type WorkOrder =
  | { kind: 'start' | 'check'; build_id: string; claim: string }
  | { kind: 'cancel'; build_id: string }
  | { kind: 'stop'; build_id: string; reason: string };

/** The service's answer to the start of a build. */
export interface StartedBuild {
  build_id: string;
  /** The build reviews another coder's work; its own changes are discarded. */
  reads_only: boolean;
  coder: string;
  settings: {
    model: string | null;
    effort: string | null;
    maxTurns: number | null;
    maxSteps: number | null;
  };
  wall_minutes: number;
  branch: string;
  base_sha: string;
  brief: string;
  mcp: { url: string; token: string };
  env: Record<string, string>;
  setup_env: Record<string, string>;
  /** Variables to mask even if their names do not suggest a secret. */
  secret_names: string[];
  /** The card's reference and title, for commit messages. */
  ref: string;
  title: string;
  /** Committer for the desk's commits; older services do not send it. */
  committer?: Committer;
  /** Whether commits may contain the desk's secrets. */
  allow_secrets: boolean;
  /** Null from a service without setups. */
  project_id: string | null;
  /** Command that prepares the checkout before the coder starts. */
  setup: { command: string; minutes: number } | null;
  /** Whether `base_sha` comes from the repository and not from a coder. */
  trusted_base: boolean;
  /** Lines of the service for the start of the log. */
  notes: string[];
}

export interface Committer {
  name: string;
  email: string;
}

export interface Usage {
  /** Null when the coder does not count tokens. */
  tokens_in: number | null;
  tokens_out: number | null;
  /** Absent when the coder does not report its cost. */
  cost_usd?: number;
}

export interface SaidLine {
  role: 'user' | 'assistant';
  content: string;
  at: string;
}

export interface FinishReport {
  outcome: 'succeeded' | 'failed' | 'canceled' | 'timed_out';
  reason?: string;
  result?: string;
  /** The review that a reviewing build wrote. */
  review?: { verdict: string; comments: unknown[] };
  usage?: Usage;
  held_until?: string;
  conversation?: SaidLine[];
}

const BUILD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MOST_WALL_MINUTES = 7 * 24 * 60;
const DEFAULT_WALL_MINUTES = 120;
const LONGEST_COMMAND = 16_000;
const MOST_NOTES = 10;

/** The id names folders on this machine, so anything but an id is rejected. */
export const isBuildId = (value: unknown): value is string =>
  typeof value === 'string' && BUILD_ID.test(value);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Skips unknown kinds of orders; undefined when the response is invalid. */
export function parseOrders(body: string): WorkOrder[] | undefined {
  const orders = parseObject(body)?.['orders'];
  if (!Array.isArray(orders)) return undefined;
  return orders.flatMap((order: unknown): WorkOrder[] => {
    if (!isRecord(order) || !isBuildId(order['build_id'])) return [];
    const { kind, build_id, claim } = order;
    if (kind === 'cancel') return [{ kind, build_id }];
    if (kind === 'stop')
      return [{ kind, build_id, reason: cleanLine(order['reason']) || 'The service had it stopped' }];
    if (kind !== 'start' && kind !== 'check') return [];
    return isHeaderText(claim) ? [{ kind, build_id, claim }] : [];
  });
}

const isHeaderText = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,512}$/.test(value);

/** Undefined when a required field is missing or a value could harm this machine. */
export function parseStarted(body: string, buildId: string): StartedBuild | undefined {
  const data = parseObject(body);
  const mcp = data?.['mcp'];
  if (!data || !isRecord(mcp)) return undefined;
  const { coder, branch, base_sha, brief } = data;
  if (typeof coder !== 'string' || typeof brief !== 'string') return undefined;
  if (typeof branch !== 'string' || !isBranch(branch)) return undefined;
  if (typeof base_sha !== 'string' || !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(base_sha)) return undefined;
  if (!isHeaderText(mcp['url']) || !isHeaderText(mcp['token'])) return undefined;
  const { ref, title } = nameOf(data, branch, brief);
  const committer = readCommitter(data['committer']);
  return {
    build_id: buildId,
    coder,
    branch,
    base_sha,
    brief,
    ref,
    title,
    ...(committer && { committer }),
    wall_minutes: readMinutes(data['wall_minutes']),
    settings: readSettings(data['settings']),
    mcp: { url: mcp['url'], token: mcp['token'] },
    env: readEnvironment(data['env']),
    setup_env: readEnvironment(data['setup_env']),
    secret_names: readNames(data['secret_names']),
    allow_secrets: data['allow_secrets'] === true,
    project_id: isBuildId(data['project_id']) ? data['project_id'] : null,
    setup: readSetup(data['setup']),
    reads_only: data['kind'] === 'review',
    trusted_base: data['trusted_base'] === true,
    notes: Array.isArray(data['notes'])
      ? data['notes'].map(cleanLine).filter(Boolean).slice(0, MOST_NOTES)
      : [],
  };
}

/** Both values are written to git's settings. */
export function readCommitter(value: unknown): Committer | undefined {
  if (!isRecord(value)) return undefined;
  const { name, email } = value;
  const fits =
    typeof name === 'string' &&
    /^[^<>\p{Cc}"\\]{1,100}$/u.test(name) &&
    typeof email === 'string' &&
    /^[^<>\s"\\#;]{1,100}@[^<>\s"\\#;]{1,200}$/.test(email);
  return fits ? { name: name.trim(), email } : undefined;
}

const isBranch = (name: string): boolean =>
  name.length <= 200 &&
  /^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(name) &&
  !/\.\.|\/\/|\.lock(\/|$)|\/\.|[./]$/.test(name);

export const readMinutes = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(value, MOST_WALL_MINUTES) : DEFAULT_WALL_MINUTES;

export function readSetup(value: unknown): StartedBuild['setup'] {
  if (!isRecord(value) || typeof value['command'] !== 'string') return null;
  const command = value['command'];
  if (command.trim() === '' || command.length > LONGEST_COMMAND || command.includes('\0')) return null;
  return { command, minutes: readMinutes(value['minutes']) };
}

function readSettings(value: unknown): StartedBuild['settings'] {
  const settings = isRecord(value) ? value : {};
  const limits = isRecord(settings['limits']) ? settings['limits'] : {};
  return {
    model: readWord(settings['model']),
    effort: readWord(settings['effort']),
    maxTurns: readGuard(limits['max_turns']),
    maxSteps: readGuard(limits['max_steps']),
  };
}

const readGuard = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;

/** The value becomes an argument of a program, so it must not look like an option. */
const readWord = (value: unknown): string | null =>
  typeof value === 'string' && /^[A-Za-z0-9][\w.:/@[\]+-]{0,199}$/.test(value) ? value : null;

export const readNames = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];

export function readEnvironment(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** An older service does not send ref and title, so read them from the branch and the brief. */
function nameOf(
  data: Record<string, unknown>,
  branch: string,
  brief: string,
): { ref: string; title: string } {
  const ref = cleanLine(data['ref']) || (/^guildhall\/(.+)-\d+$/.exec(branch)?.[1] ?? branch).toUpperCase();
  const title = cleanLine(data['title']) || cleanLine(titleOf(brief.slice(0, 10_000), ref));
  return { ref, title: title || 'work of this build' };
}

function titleOf(brief: string, ref: string): string {
  const section = /^## Title[ \t]*\n+(?:[ \t]*(?:`{3,}|~{3,})[^\n]*\n)?([^\n]+)/m.exec(brief)?.[1];
  return section ?? withoutRef(/^#[ \t]+([^\n]+)/m.exec(brief)?.[1] ?? '', ref);
}

const withoutRef = (heading: string, ref: string): string =>
  heading.toUpperCase().startsWith(ref) ? heading.slice(ref.length).replace(/^[\s:.–—-]+/, '') : heading;

const cleanLine = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, 500)
    : '';
