import { LRUCache } from 'lru-cache';
import { type ApiError, notFound, unprocessable } from '../../kernel/errors.js';
import { CODERS, type Coder } from '../../kernel/plans.js';
import { sha256Hex } from '../../kernel/secrets.js';
import type { BuildSettings, Profile } from './coder-profiles.schemas.js';

export const profileNotFound = () => notFound();

export const nothingToOverride = () => unprocessable('Set at least one override field');
export const platformOnly = (field: string) =>
  unprocessable(`${field} is platform-only and cannot be overridden`);
export const notEditable = (field: string) =>
  unprocessable(`${field} is not an editable coder profile field`);

export const codexTakesNoModel = () => unprocessable("Codex doesn't take a model choice in a profile");
export const openHandsTakesNoModel = () =>
  unprocessable('OpenHands profiles take their model from the build, not the profile');
export const openHandsTakesNoEffort = () =>
  unprocessable("OpenHands doesn't take an effort choice in a profile");
export const takesNoLimit = () => unprocessable("This profile doesn't take a limit choice");

export const notOneOf = (field: string, values: readonly string[]) =>
  unprocessable(`${field} must be one of: ${values.join(', ')}`);
export const limitOutOfRange = (platformLimit: number) =>
  unprocessable(`limit_value must be from 1 up to the platform default of ${platformLimit}`);
export const limitAbovePlatform = (value: number, platformLimit: number) =>
  unprocessable(
    `${value} is above the platform limit of ${platformLimit} for this profile. Lower it, or leave it at the platform default.`,
  );

export const TASK_TYPES = ['coding', 'docs', 'research', 'design', 'test'] as const;
export type TaskType = (typeof TASK_TYPES)[number];
export type Tier = TaskType | 'hard';

/** The limit that stops a build stuck in a loop, in the coder's own unit. */
export interface Guard {
  unit: 'turns' | 'steps';
  value: number;
}

export interface CatalogProfile {
  key: string;
  coder: Coder;
  tier: Tier;
  model: string | null;
  effort: string;
  guard: Guard | null;
  wallMinutes: number | null;
  env: Record<string, string> | null;
  recommendedFor: string[];
  reason: string;
}

/** The platform's values. `-` is null: the coder's own default, no guard, or the desk's own time limit. */
const TABLE = `
key               | model           | effort | guard     | minutes | env                    | reason
claude.coding     | claude-sonnet-5 | medium | 200 turns | -       | -                      | Sonnet at medium effort finishes most changes; 200 turns leave room for a test run after each edit.
claude.docs       | claude-sonnet-5 | low    | 80 turns  | -       | -                      | Writing needs little deliberation; a text that is not done after 80 turns is being rewritten in circles.
claude.research   | claude-sonnet-5 | medium | 120 turns | -       | -                      | Reading widely costs turns, not thought; 120 cover a large repository.
claude.design     | claude-opus-5-5 | high   | 150 turns | -       | -                      | A wrong design is paid for in every later card, so it gets the stronger model and high effort.
claude.test       | claude-sonnet-5 | medium | 150 turns | -       | -                      | Tests are written in short loops; 150 turns allow many runs without letting a flaky one run forever.
claude.hard       | claude-opus-5-5 | max    | 400 turns | 180     | -                      | Everything the coder has: the strongest model, maximum effort, twice the turns and three hours.
codex.coding      | -               | medium | -         | -       | -                      | The account's own model changes without notice; medium effort has been enough for ordinary changes.
codex.docs        | -               | low    | -         | -       | -                      | Prose gains nothing from long reasoning.
codex.research    | -               | medium | -         | -       | -                      | Medium effort follows references well without stalling on each of them.
codex.design      | -               | high   | -         | -       | -                      | Weighing alternatives is what high effort is for.
codex.test        | -               | medium | -         | -       | -                      | Medium effort finds the edge cases that the code shows.
codex.hard        | -               | high   | -         | 180     | -                      | The highest effort that the account default takes, and three hours to use it.
openhands.coding  | -               | medium | 250 steps | -       | venv=fresh browser=off | Each command is a step, so a change with its tests needs about 250.
openhands.docs    | -               | low    | 100 steps | -       | venv=reuse browser=off | Documents need few commands; the environment of an earlier build will do.
openhands.research| -               | medium | 150 steps | -       | venv=reuse browser=on  | Reading sources needs the browser and no environment of its own.
openhands.design  | -               | high   | 200 steps | -       | venv=reuse browser=on  | Designs are tried out in small experiments; 200 steps hold several.
openhands.test    | -               | medium | 200 steps | -       | venv=fresh browser=off | A fresh environment keeps what an earlier build installed from making a test pass.
openhands.hard    | -               | high   | 500 steps | 180     | venv=fresh browser=on  | Twice the steps of a coding card, every tool, and three hours.
opencode.coding   | MiniMax-M3      | medium | 150 steps | -       | -                      | MiniMax-M3 takes larger steps than most models; 150 equal about 250 elsewhere.
opencode.docs     | MiniMax-M3      | low    | 80 steps  | -       | -                      | Low effort writes as well and answers sooner.
opencode.research | MiniMax-M3      | medium | 120 steps | -       | -                      | 120 steps read a large repository once; more means that it reads it again.
opencode.design   | MiniMax-M3      | high   | 150 steps | -       | -                      | High effort compares before it commits to one way.
opencode.test     | MiniMax-M3      | medium | 120 steps | -       | -                      | A suite that does not pass after 120 steps needs a person's look.
opencode.hard     | MiniMax-M3      | high   | 300 steps | 180     | -                      | Twice the steps and three hours for what an ordinary card did not finish.
pi.coding         | MiniMax-M3      | medium | -         | -       | -                      | The coder stops by itself when it makes no progress, so it needs no guard.
pi.docs           | MiniMax-M3      | low    | -         | -       | -                      | Low effort keeps short texts short.
pi.research       | MiniMax-M3      | medium | -         | -       | -                      | Medium effort cites what it found; low effort tends to leave sources out.
pi.design         | MiniMax-M3      | high   | -         | -       | -                      | High effort names the drawbacks of what it proposes.
pi.test           | MiniMax-M3      | medium | -         | -       | -                      | Medium effort keeps test and fixture apart.
pi.hard           | MiniMax-M3      | high   | -         | 180     | -                      | The longest time a profile asks for, at the highest effort the coder takes.
`;

const HARD_RECOMMENDATION =
  'A card that an ordinary profile left unfinished, or one that reaches through many modules.';

function readRow(row: string): CatalogProfile {
  const [key, model, effort, guard, minutes, env, reason] = row.split('|').map((cell) => cell.trim());
  const [coder, tier] = key!.split('.') as [Coder, Tier];
  return {
    key: key!,
    coder,
    tier,
    model: model === '-' ? null : model!,
    effort: effort!,
    guard: readGuard(guard!),
    wallMinutes: minutes === '-' ? null : Number(minutes),
    env: env === '-' ? null : Object.fromEntries(env!.split(' ').map((pair) => pair.split('='))),
    recommendedFor: [tier === 'hard' ? HARD_RECOMMENDATION : tier],
    reason: reason!,
  };
}

function readGuard(cell: string): Guard | null {
  const [value, unit] = cell.split(' ');
  return cell === '-' ? null : { value: Number(value), unit: unit as Guard['unit'] };
}

export const CATALOG: readonly CatalogProfile[] = TABLE.trim().split('\n').slice(1).map(readRow);

const byKey = new Map(CATALOG.map((profile) => [profile.key, profile]));

export const findProfile = (key: string): CatalogProfile | undefined => byKey.get(key);

/** Whether the profile exists in any plan. */
export const isProfileKey = (key: string): boolean => byKey.has(key);

/** Accepts the spelling of a profile key and that of the `coder` field. */
export const findCoder = (name: string): Coder | undefined =>
  name === 'claude_code' ? 'claude' : CODERS.find((coder) => coder === name);

export const publicCoder = (coder: Coder): string => (coder === 'claude' ? 'claude_code' : coder);

export const EDITABLE_FIELDS = ['model', 'effort', 'limit_value'] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];

export const PLATFORM_ONLY_FIELDS = [
  'fallback_model',
  'tools',
  'permissions',
  'credentials',
  'env',
  'venv',
] as const;

export const MODELS = ['claude-opus-5-5', 'claude-sonnet-5'] as const;
export const EFFORTS = ['low', 'medium', 'high'] as const;

/** A workspace's own values in their stored form: text, and only for settings that it changed. */
export type Overrides = Partial<Record<EditableField, string>>;

const isEditable = (field: string): field is EditableField =>
  EDITABLE_FIELDS.some((known) => known === field);
const isPlatformOnly = (field: string): boolean => PLATFORM_ONLY_FIELDS.some((known) => known === field);

// --- changes by a workspace -------------------------------------------------------------------

/** The change of one setting. Null is the platform's default. */
export interface SettingChange {
  field: EditableField;
  from: string | null;
  to: string | null;
  /**
   * Whether the history records it. Resetting an override that equals the default changes nothing visible.
   */
  recorded: boolean;
}

/** The changes of a PUT. Throws the first error, so an invalid PUT changes nothing. */
export function planOverride(
  profile: CatalogProfile,
  present: Overrides,
  body: Record<string, unknown>,
): SettingChange[] {
  const asked = readOverride(profile, body);
  return EDITABLE_FIELDS.flatMap((field) => {
    const to = asked[field];
    if (to === undefined || to === present[field]) return [];
    return [{ field, from: present[field] ?? null, to, recorded: true }];
  });
}

/** The changes of a DELETE, which refuses with the same errors as the PUT. */
export function planReset(profile: CatalogProfile, present: Overrides, field: string): SettingChange[] {
  if (!isEditable(field)) throw refuseField(field);
  requireSetting(profile, field);
  const from = present[field];
  return from === undefined
    ? []
    : [{ field, from, to: null, recorded: from !== platformValue(profile, field) }];
}

/** Checks in this order: unknown names, an empty body, then model, effort and limit. */
function readOverride(profile: CatalogProfile, body: Record<string, unknown>): Overrides {
  const names = Object.keys(body);
  const foreign = names.find(isPlatformOnly) ?? names.find((name) => !isEditable(name));
  if (foreign !== undefined) throw refuseField(foreign);
  if (names.length === 0) throw nothingToOverride();

  const overrides: Overrides = {};
  for (const field of EDITABLE_FIELDS) {
    if (!Object.hasOwn(body, field)) continue;
    requireSetting(profile, field);
    overrides[field] = readValue(profile, field, body[field]);
  }
  return overrides;
}

const refuseField = (field: string): ApiError =>
  isPlatformOnly(field) ? platformOnly(field) : notEditable(field);

function requireSetting(profile: CatalogProfile, field: EditableField): void {
  if (field === 'model' && profile.coder === 'codex') throw codexTakesNoModel();
  if (field === 'model' && profile.coder === 'openhands') throw openHandsTakesNoModel();
  if (field === 'effort' && profile.coder === 'openhands') throw openHandsTakesNoEffort();
  if (field === 'limit_value' && profile.guard === null) throw takesNoLimit();
}

function readValue(profile: CatalogProfile, field: EditableField, value: unknown): string {
  switch (field) {
    case 'model':
      return readChoice(field, MODELS, value);
    case 'effort':
      return readChoice(field, EFFORTS, value);
    case 'limit_value':
      return readLimit(profile.guard!.value, value);
  }
}

function readChoice(field: EditableField, choices: readonly string[], value: unknown): string {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw notOneOf(field, choices);
  return choice;
}

function readLimit(platformLimit: number, value: unknown): string {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw limitOutOfRange(platformLimit);
  if (value > platformLimit) throw limitAbovePlatform(value, platformLimit);
  return String(value);
}

/** The platform's value of a setting as text, or null for the coder's own default. */
function platformValue(profile: CatalogProfile, field: EditableField): string | null {
  if (field === 'limit_value') return profile.guard === null ? null : String(profile.guard.value);
  return profile[field];
}

// --- settings of a build ----------------------------------------------------------------------

interface Settings {
  model: string | null;
  effort: string | null;
  limits: { max_turns: number | null; max_steps: number | null; wall_minutes: number | null };
  env: Record<string, string> | null;
}

function applyOverrides(profile: CatalogProfile, overrides: Overrides): Settings {
  const limit =
    overrides.limit_value === undefined ? (profile.guard?.value ?? null) : Number(overrides.limit_value);
  return {
    model: overrides.model ?? profile.model,
    effort: overrides.effort ?? profile.effort,
    limits: {
      max_turns: profile.guard?.unit === 'turns' ? limit : null,
      max_steps: profile.guard?.unit === 'steps' ? limit : null,
      wall_minutes: profile.wallMinutes,
    },
    env: profile.env,
  };
}

/** Sorts the keys of every object, so that equal settings have an equal digest. */
export function digestSettings(key: string, settings: Settings): string {
  return `sha256:${sha256Hex(canonicalJson({ key, ...settings })).slice(0, 12)}`;
}

function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

/** Cached, because most workspaces change nothing and the digests are then the same. */
const composed = new LRUCache<string, Profile>({ max: 1000 });
const texts = new WeakMap<Profile, string>();

export function describeProfile(profile: CatalogProfile, overrides: Overrides): Profile {
  const { model = '', effort = '', limit_value = '' } = overrides;
  const form = `${profile.key} ${model} ${effort} ${limit_value}`;
  let known = composed.get(form);
  if (!known) {
    known = composeProfile(profile, overrides);
    composed.set(form, known);
  }
  return known;
}

export function writeProfileList(profiles: Profile[]): string {
  const textOf = (profile: Profile): string => {
    const text = texts.get(profile) ?? JSON.stringify(profile);
    texts.set(profile, text);
    return text;
  };
  return `[${profiles.map(textOf).join(',')}]`;
}

export function composeProfile(profile: CatalogProfile, overrides: Overrides): Profile {
  const settings = applyOverrides(profile, overrides);
  const sourceOf = (field: EditableField) => (overrides[field] === undefined ? 'platform' : 'brand');
  return {
    key: profile.key,
    version: digestSettings(profile.key, settings),
    coder: publicCoder(profile.coder),
    recommended_for: profile.recommendedFor,
    model: settings.model,
    effort: settings.effort,
    fallback_model: null,
    limits: settings.limits,
    env: settings.env,
    reason: profile.reason,
    sources: { model: sourceOf('model'), effort: sourceOf('effort'), limit_value: sourceOf('limit_value') },
    platform_defaults: {
      model: profile.model,
      effort: profile.effort,
      limit_value: profile.guard?.value ?? null,
    },
  };
}

// --- settings on a desk -----------------------------------------------------------------------

export const DEFAULT_DESK_MINUTES = 120;
export const DEFAULT_CEILING_MINUTES = 240;

export interface Desk {
  coder: string | undefined;
  minutes: number;
  ceilingMinutes: number;
}

export const buildMinutes = (desk: Desk, profileMinutes: number | null): number =>
  Math.min(desk.ceilingMinutes, Math.max(desk.minutes, profileMinutes ?? 0));

/** The profile that a card names, if it is for this desk's coder. */
export function findProfileForDesk(key: string | undefined, desk: Desk): CatalogProfile | undefined {
  const profile = key === undefined ? undefined : findProfile(key);
  if (!profile || desk.coder === undefined) return undefined;
  return findCoder(desk.coder) === profile.coder ? profile : undefined;
}

/**
 * The settings that a desk applies when a build starts. Without a matching profile, the desk keeps its own
 * defaults and time limit.
 */
export function buildSettings(
  desk: Desk,
  profile: CatalogProfile | undefined,
  overrides: Overrides,
): BuildSettings {
  if (!profile) {
    return {
      applied: false,
      profile: null,
      version: null,
      model: null,
      effort: null,
      limits: null,
      env: null,
      wall_minutes: buildMinutes(desk, null),
    };
  }
  const { version, model, effort, limits, env } = describeProfile(profile, overrides);
  const wall_minutes = buildMinutes(desk, limits.wall_minutes);
  return { applied: true, profile: profile.key, version, model, effort, limits, env, wall_minutes };
}
