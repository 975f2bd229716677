import { LRUCache } from 'lru-cache';
import type { ApiError } from '../../kernel/errors.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { type CatalogProfile, findCoder, findProfile, publicCoder } from './coder-profiles.catalog.js';
import {
  codexTakesNoModel,
  limitAbovePlatform,
  limitOutOfRange,
  notEditable,
  nothingToOverride,
  notOneOf,
  openHandsTakesNoEffort,
  openHandsTakesNoModel,
  platformOnly,
  takesNoLimit,
} from './coder-profiles.errors.js';
import type { BuildSettings, Profile } from './coder-profiles.schemas.js';

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

/** A workspace's own values, as they are stored: text, only where it changed something. */
export type Overrides = Partial<Record<EditableField, string>>;

const isEditable = (field: string): field is EditableField =>
  EDITABLE_FIELDS.some((known) => known === field);
const isPlatformOnly = (field: string): boolean => PLATFORM_ONLY_FIELDS.some((known) => known === field);

// --- what a workspace may change --------------------------------------------------------------

/** One setting from one state to another; null is the platform's default. */
export interface SettingChange {
  field: EditableField;
  from: string | null;
  to: string | null;
  /** Whether history tells of it: going back from an override that equals the default changes nothing anybody sees. */
  recorded: boolean;
}

/** What a PUT changes. Throws the first refusal, so nothing of a PUT is made when any of it is refused. */
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

/** What a DELETE changes; its refusals are in the words of the PUT. */
export function planReset(profile: CatalogProfile, present: Overrides, field: string): SettingChange[] {
  if (!isEditable(field)) throw refuseField(field);
  requireSetting(profile, field);
  const from = present[field];
  return from === undefined
    ? []
    : [{ field, from, to: null, recorded: from !== platformValue(profile, field) }];
}

/** In this order: names that are no setting, nothing at all, then model, effort and limit. */
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

/** The platform's value of a setting, as text; null when it is the coder's own default. */
function platformValue(profile: CatalogProfile, field: EditableField): string | null {
  if (field === 'limit_value') return profile.guard === null ? null : String(profile.guard.value);
  return profile[field];
}

// --- what a build receives --------------------------------------------------------------------

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

/** The digest of a value with the keys of every object in order: equal facts, equal digest. */
export function digestSettings(key: string, settings: Settings): string {
  return `sha256:${sha256Hex(canonicalJson({ key, ...settings })).slice(0, 12)}`;
}

function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

/** Composed forms are kept: most workspaces change nothing, and no digest has to be made twice. */
const composed = new LRUCache<string, Profile>({ max: 1000 });
const texts = new WeakMap<Profile, string>();

/** The profile as the workspace's builds receive it. */
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

/** Described profiles as a JSON list; each one's text is made once. */
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

// --- at the desk ------------------------------------------------------------------------------

export const DEFAULT_DESK_MINUTES = 120;
export const DEFAULT_CEILING_MINUTES = 240;

export interface Desk {
  coder: string | undefined;
  minutes: number;
  ceilingMinutes: number;
}

/** The longer of the desk's own limit and the profile's, never more than the desk's ceiling. */
export const buildMinutes = (desk: Desk, profileMinutes: number | null): number =>
  Math.min(desk.ceilingMinutes, Math.max(desk.minutes, profileMinutes ?? 0));

/** The profile that a card names, when it is one for this desk's coder. */
export function findProfileForDesk(key: string | undefined, desk: Desk): CatalogProfile | undefined {
  const profile = key === undefined ? undefined : findProfile(key);
  if (!profile || desk.coder === undefined) return undefined;
  return findCoder(desk.coder) === profile.coder ? profile : undefined;
}

/** What the desk applies when a build starts; without a fitting profile it keeps its own defaults and its time limit. */
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
