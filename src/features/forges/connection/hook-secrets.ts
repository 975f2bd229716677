import { DAY, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret } from '../../../kernel/secrets.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { ForgeRow, PastSecret } from './connection.store.js';

const SECRET_BYTES = 32;
const BOTH_COUNT_SECONDS = DAY;
/** Each is tried with every delivery, so only the last few that were renewed within the day are taken. */
const MOST_PAST = 5;

type Kept = Pick<ForgeRow, 'project_id' | 'hook_secret' | 'past_hook_secrets'>;

const placeOf = (projectId: string): string => `project_forges.hook:${projectId}`;

export const newHookSecret = (): string => randomSecret(SECRET_BYTES);

export const sealHookSecret = (box: SecretBox, projectId: string, secret: string): string =>
  box.seal(secret, placeOf(projectId));

/** What is taken beside the new secret once the present one has given way to it. */
export const retireHookSecret = ({ hook_secret, past_hook_secrets }: Kept, now: Date): PastSecret[] =>
  hook_secret === null
    ? []
    : [
        { sealed: hook_secret, until: secondsFrom(now, BOTH_COUNT_SECONDS).toISOString() },
        ...past_hook_secrets,
      ]
        .filter(({ until }) => new Date(until) > now)
        .slice(0, MOST_PAST);

/** The secrets that count now, the newest first. */
export function openHookSecrets(box: SecretBox, kept: Kept, now: Date): string[] {
  if (kept.hook_secret === null) return [];
  const past = kept.past_hook_secrets.filter(({ until }) => new Date(until) > now);
  return [kept.hook_secret, ...past.map(({ sealed }) => sealed)].map((sealed) =>
    box.open(sealed, placeOf(kept.project_id)),
  );
}
