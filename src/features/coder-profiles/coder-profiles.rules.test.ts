import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../kernel/errors.js';
import {
  buildSettings,
  CATALOG,
  type CatalogProfile,
  composeProfile,
  type Desk,
  describeProfile,
  EDITABLE_FIELDS,
  type EditableField,
  EFFORTS,
  findProfile,
  MODELS,
  type Overrides,
  PLATFORM_ONLY_FIELDS,
  planOverride,
  planReset,
} from './coder-profiles.rules.js';

const profiles = CATALOG.map((profile) => [profile.key, profile] as const);
const anyProfile = fc.constantFrom(...CATALOG);

function refusal(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
    expect(fault.status).toBe(422);
    return String(fault.detail);
  }
}

/**
 * Repeats the table of the specification independently of the rules: why a profile does not accept a setting.
 */
function untakenMessage({ coder, guard }: CatalogProfile, field: EditableField): string | undefined {
  if (field === 'model' && coder === 'codex') return "Codex doesn't take a model choice in a profile";
  if (field === 'model' && coder === 'openhands') {
    return 'OpenHands profiles take their model from the build, not the profile';
  }
  if (field === 'effort' && coder === 'openhands')
    return "OpenHands doesn't take an effort choice in a profile";
  if (field === 'limit_value' && !guard) return "This profile doesn't take a limit choice";
  return undefined;
}

const anyOverrides = (profile: CatalogProfile): fc.Arbitrary<Overrides> =>
  fc.record(
    {
      ...(untakenMessage(profile, 'model') ? {} : { model: fc.constantFrom(...MODELS) }),
      ...(untakenMessage(profile, 'effort') ? {} : { effort: fc.constantFrom(...EFFORTS) }),
      ...(profile.guard ? { limit_value: fc.integer({ min: 1, max: profile.guard.value }).map(String) } : {}),
    },
    { requiredKeys: [] },
  );

const anyProfileWithOverrides = anyProfile.chain((profile) =>
  fc.tuple(fc.constant(profile), anyOverrides(profile)),
);

describe('The catalog of coder profiles', () => {
  it('has the platform values of the specification', () => {
    const rows = CATALOG.map(
      ({ model, effort, guard, wallMinutes }) =>
        `${model} ${effort} ${guard ? `${guard.unit} ${guard.value}` : 'none'} ${wallMinutes}`,
    );
    const [sonnet, opus, mini] = ['claude-sonnet-5', 'claude-opus-5-5', 'MiniMax-M3'];
    expect(rows).toEqual([
      `${sonnet} medium turns 200 null`,
      `${sonnet} low turns 80 null`,
      `${sonnet} medium turns 120 null`,
      `${opus} high turns 150 null`,
      `${sonnet} medium turns 150 null`,
      `${opus} max turns 400 180`,
      'null medium none null',
      'null low none null',
      'null medium none null',
      'null high none null',
      'null medium none null',
      'null high none 180',
      'null medium steps 250 null',
      'null low steps 100 null',
      'null medium steps 150 null',
      'null high steps 200 null',
      'null medium steps 200 null',
      'null high steps 500 180',
      `${mini} medium steps 150 null`,
      `${mini} low steps 80 null`,
      `${mini} medium steps 120 null`,
      `${mini} high steps 150 null`,
      `${mini} medium steps 120 null`,
      `${mini} high steps 300 180`,
      `${mini} medium none null`,
      `${mini} low none null`,
      `${mini} medium none null`,
      `${mini} high none null`,
      `${mini} medium none null`,
      `${mini} high none 180`,
    ]);
  });

  it.each(profiles)(
    '%s states its recommended task types and a reason, and has env only for openhands',
    (_key, profile) => {
      expect(profile.reason).toMatch(/\.$/);
      expect(profile.env !== null).toBe(profile.coder === 'openhands');
      if (profile.tier === 'hard') expect(profile.recommendedFor).toEqual([expect.stringMatching(/ .+\.$/)]);
      else expect(profile.recommendedFor).toEqual([profile.tier]);
    },
  );
});

describe.each(profiles)('An override of %s', (_key, profile) => {
  const limit = profile.guard?.value ?? 100;
  const good: Record<EditableField, unknown[]> = {
    model: [...MODELS],
    effort: [...EFFORTS],
    limit_value: [1, limit - 1, limit],
  };
  const notText = [null, 5, true, '', ' low', 'LOW', 'max', 'MiniMax-M3', ['low'], { low: 1 }];
  const range = `limit_value must be from 1 up to the platform default of ${limit}`;
  const bad: Record<EditableField, [unknown, string][]> = {
    model: [...notText, 'low', 'claude-opus-5-5 '].map((value) => [
      value,
      'model must be one of: claude-opus-5-5, claude-sonnet-5',
    ]),
    effort: [...notText, 'claude-opus-5-5'].map((value) => [
      value,
      'effort must be one of: low, medium, high',
    ]),
    limit_value: [
      ...[0, -1, 1.5, limit + 0.5, '50', '', null, true, [50], {}, Number.NaN].map(
        (value): [unknown, string] => [value, range],
      ),
      ...[limit + 1, 1e9, 1e21].map((value): [unknown, string] => [
        value,
        `${value} is above the platform limit of ${limit} for this profile. Lower it, or leave it at the platform default.`,
      ]),
    ],
  };

  it.each(EDITABLE_FIELDS)('accepts the valid values of %s if the profile has that setting', (field) => {
    for (const value of good[field]) {
      const untaken = untakenMessage(profile, field);
      expect(refusal(() => planOverride(profile, {}, { [field]: value }))).toBe(untaken);
      if (!untaken) {
        const change = { field, from: null, to: String(value), recorded: true };
        expect(planOverride(profile, {}, { [field]: value })).toEqual([change]);
      }
    }
  });

  it.each(EDITABLE_FIELDS)('refuses every other value of %s', (field) => {
    for (const [value, message] of bad[field]) {
      const expected = untakenMessage(profile, field) ?? message;
      expect(refusal(() => planOverride(profile, {}, { [field]: value }))).toBe(expected);
    }
  });

  it.each(PLATFORM_ONLY_FIELDS)('refuses %s as platform-only', (field) => {
    const message = `${field} is platform-only and cannot be overridden`;
    expect(refusal(() => planOverride(profile, {}, { model: 'x', [field]: null }))).toBe(message);
    expect(refusal(() => planReset(profile, {}, field))).toBe(message);
  });

  it.each(['wall_minutes', 'reason', 'MODEL', 'constructor', ''])('refuses %j as not editable', (field) => {
    const message = `${field} is not an editable coder profile field`;
    expect(refusal(() => planOverride(profile, {}, { effort: 'x', [field]: 1 }))).toBe(message);
    expect(refusal(() => planReset(profile, {}, field))).toBe(message);
  });

  it('validates model before effort before limit_value', () => {
    const body = { limit_value: 0, effort: 'x', model: 'x' };
    const first =
      untakenMessage(profile, 'model') ?? 'model must be one of: claude-opus-5-5, claude-sonnet-5';
    expect(refusal(() => planOverride(profile, {}, body))).toBe(first);
    const second = untakenMessage(profile, 'effort') ?? 'effort must be one of: low, medium, high';
    expect(refusal(() => planOverride(profile, {}, { limit_value: 0, effort: 'x' }))).toBe(second);
  });

  it.each(EDITABLE_FIELDS)('refuses to reset %s with the same errors as the PUT', (field) => {
    expect(refusal(() => planReset(profile, {}, field))).toBe(untakenMessage(profile, field));
  });
});

describe('The history of a profile', () => {
  const profile = findProfile('claude.coding')!;

  it('does not record a value equal to the current one', () => {
    expect(planOverride(profile, { effort: 'low' }, { effort: 'low' })).toEqual([]);
  });
});

describe('A profile with the changes of a workspace', () => {
  it('shows each changed setting, its source and the platform default', () => {
    fc.assert(
      fc.property(anyProfileWithOverrides, ([profile, overrides]) => {
        const shown = describeProfile(profile, overrides);
        const limit = shown.limits.max_turns ?? shown.limits.max_steps;
        expect(shown.model).toBe(overrides.model ?? profile.model);
        expect(shown.effort).toBe(overrides.effort ?? profile.effort);
        expect(limit).toBe(
          overrides.limit_value ? Number(overrides.limit_value) : (profile.guard?.value ?? null),
        );
        for (const field of EDITABLE_FIELDS) {
          expect(shown.sources[field]).toBe(field in overrides ? 'brand' : 'platform');
        }
        const { model, effort, guard } = profile;
        expect(shown.platform_defaults).toEqual({ model, effort, limit_value: guard?.value ?? null });
      }),
    );
  });
});

describe('The version of a profile', () => {
  const versionOf = (profile: CatalogProfile, overrides: Overrides) =>
    composeProfile(profile, overrides).version;
  const received = (profile: CatalogProfile, overrides: Overrides) => {
    const { key, model, effort, limits, env } = describeProfile(profile, overrides);
    return JSON.stringify({ key, model, effort, limits, env });
  };

  it('is a digest of the settings that a build receives, equal exactly when the settings are equal', () => {
    const pair = anyProfile.chain((profile) =>
      fc.tuple(fc.constant(profile), anyOverrides(profile), anyOverrides(profile)),
    );
    fc.assert(
      fc.property(pair, ([profile, one, other]) => {
        expect(versionOf(profile, one)).toMatch(/^sha256:[0-9a-f]{12}$/);
        const same = received(profile, one) === received(profile, other);
        expect(versionOf(profile, one) === versionOf(profile, other)).toBe(same);
      }),
    );
  });
});

describe('Build settings', () => {
  const desk = (coder: string | undefined, minutes = 120, ceilingMinutes = 240): Desk => ({
    coder,
    minutes,
    ceilingMinutes,
  });

  it('use the longer of the two time limits, up to the ceiling', () => {
    const minutes = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(anyProfile, minutes, minutes, (profile, own, ceiling) => {
        const { wall_minutes } = buildSettings(desk(profile.coder, own, ceiling), profile, {});
        const wanted = profile.wallMinutes === null ? own : Math.max(own, profile.wallMinutes);
        expect(wall_minutes).toBe(Math.min(wanted, ceiling));
      }),
    );
  });

  it('are null except for the time limit when no profile applies', () => {
    expect(buildSettings(desk('codex', 90), undefined, {})).toEqual({
      applied: false,
      profile: null,
      version: null,
      model: null,
      effort: null,
      limits: null,
      env: null,
      wall_minutes: 90,
    });
  });
});
