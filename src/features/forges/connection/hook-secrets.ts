import { DAY, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret } from '../../../kernel/secrets.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { ForgeRow, PastSecret } from './connection.store.js';

const SECRET_BYTES = 32;
const OVERLAP_SECONDS = DAY;
/** Every delivery is verified with each of them, so only the last few count. */
const MOST_PAST = 5;

type Kept = Pick<ForgeRow, 'project_id' | 'hook_secret' | 'past_hook_secrets'>;

const placeOf = (projectId: string): string => `project_forges.hook:${projectId}`;

export const newHookSecret = (): string => randomSecret(SECRET_BYTES);

export const sealHookSecret = (box: SecretBox, projectId: string, secret: string): string =>
  box.seal(secret, placeOf(projectId));

/** The past secrets once a new one replaces the current one. */
export const retireHookSecret = ({ hook_secret, past_hook_secrets }: Kept, now: Date): PastSecret[] =>
  hook_secret === null
    ? []
    : [{ sealed: hook_secret, until: secondsFrom(now, OVERLAP_SECONDS).toISOString() }, ...past_hook_secrets]
        .filter(({ until }) => new Date(until) > now)
        .slice(0, MOST_PAST);

/** The secrets that are accepted now, newest first. */
export function openHookSecrets(box: SecretBox, row: Kept, now: Date): string[] {
  if (row.hook_secret === null) return [];
  const past = row.past_hook_secrets.filter(({ until }) => new Date(until) > now);
  return [row.hook_secret, ...past.map(({ sealed }) => sealed)].map((sealed) =>
    box.open(sealed, placeOf(row.project_id)),
  );
}
