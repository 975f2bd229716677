/** The desk's side of what it and the service say to each other about builds. */

export const CLAIM_HEADER = 'x-guildhall-claim';

export const LOG_PART_BYTES = 256 * 1024;
export const COMMITS_LIMIT_BYTES = 64 * 1024 * 1024;
export const LONGEST_WAIT_SECONDS = 50;

export const CODERS = ['claude', 'codex', 'openhands', 'opencode', 'pi'] as const;

export interface WorkRequest {
  nonce: string;
  /** How many more builds this desk would take. */
  slots: number;
  coders: string[];
  /** Those of them that the owner's wrapper stands for; said by desks that may have one. */
  wrapped?: string[];
  /** Why the others of its runtime cannot be run; an older service does not know the word, so it is said only then. */
  missing?: { coder: string; reason: string }[];
  /** An id alone where nothing is known of it; a service that does not know more is told ids alone. */
  running: (string | { build_id: string; progress_at: string })[];
  wait_seconds: number;
}

export type WorkOrder =
  | { kind: 'start' | 'check'; build_id: string; claim: string }
  | { kind: 'cancel'; build_id: string }
  | { kind: 'stop'; build_id: string; reason: string };

/** What a build is to do; the answer to its start. */
export interface StartedBuild {
  build_id: string;
  /** It reads what another coder did: nothing that it leaves in its checkout is taken. */
  reads_only: boolean;
  coder: string;
  settings: { model: string | null; effort: string | null; maxTurns: number | null };
  wall_minutes: number;
  branch: string;
  base_sha: string;
  brief: string;
  mcp: { url: string; token: string };
  env: Record<string, string>;
  /** The card's name and title, for the message of a commit. */
  ref: string;
  title: string;
  /** Whose commits those are that the desk makes; absent where the service is older. */
  committer?: Committer;
  /** Whether commits may hold what is secret on this desk. */
  allow_secrets: boolean;
  /** Null where the service is older than setups. */
  project_id: string | null;
  /** Makes the checkout usable, before the coder. */
  setup: { command: string; minutes: number } | null;
  /** Whether `base_sha` is the repository's and not a coder's. */
  trusted_base: boolean;
  /** What the service has to say at the beginning of the log. */
  notes: string[];
}

export interface Committer {
  name: string;
  email: string;
}

export interface Usage {
  tokens_in: number;
  tokens_out: number;
  /** Absent where the coder does not tell. */
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
  /** Of one that only read: what it came to, as it wrote it. */
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

/** The id names folders on this machine, so it is never anything but an id. */
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

/** Orders of a kind this release does not know are left out; undefined when the answer is none at all. */
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

/** undefined when something is missing that a build cannot do without, or would harm this machine. */
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

/** Both become part of a file that git reads. */
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
  const turns = limits['max_turns'];
  return {
    model: readWord(settings['model']),
    effort: readWord(settings['effort']),
    maxTurns: typeof turns === 'number' && Number.isInteger(turns) && turns > 0 ? turns : null,
  };
}

/** Words become arguments of a program; one that looks like an option is none. */
const readWord = (value: unknown): string | null =>
  typeof value === 'string' && /^[A-Za-z0-9][\w.:/@[\]+-]{0,199}$/.test(value) ? value : null;

export function readEnvironment(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A service that does not spell out ref and title has them in the branch and at the top of the brief. */
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
