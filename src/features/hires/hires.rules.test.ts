import { describe, expect, it } from 'vitest';
import { DAY, secondsFrom } from '../../kernel/clock.js';
import {
  agentIdFor,
  canCancelAtPeriodEnd,
  canCancelNow,
  describeSteps,
  hasTools,
  marketplaceDisableAt,
  packagesOf,
  periodEnd,
  shownRepository,
} from './hires.rules.js';

const HIRED = new Date('2026-01-31T12:00:00.000Z');
const END = secondsFrom(HIRED, 30 * DAY);
const HIRE_ID = '01890000-0000-7000-8000-0123456789ab';

describe('Hire period: 30 days from the hire, renewed', () => {
  it.each([
    ['at the hire', 0, 1],
    ['a second before the end', 30 * DAY - 1, 1],
    ['at the end', 30 * DAY, 2],
    ['a year later', 365 * DAY, 13],
  ])('ends after whole periods: %s', (_, seconds, periods) => {
    expect(periodEnd(HIRED, secondsFrom(HIRED, seconds))).toEqual(secondsFrom(HIRED, periods * 30 * DAY));
  });

  it('is not shortened when the clock was set back', () => {
    expect(periodEnd(HIRED, secondsFrom(HIRED, -5))).toEqual(END);
  });

  it('ends one minute before marketplace_disable_at', () => {
    expect(marketplaceDisableAt(END)).toEqual(secondsFrom(END, 60));
  });
});

describe('Permitted cancels and tools', () => {
  const hire = (
    status: 'provisioning' | 'active' | 'canceled',
    atPeriodEnd = false,
    end: Date | null = null,
  ) => ({
    status,
    cancel_at_period_end: atPeriodEnd,
    effective_at: end,
  });
  const before = secondsFrom(END, -1);

  it.each([
    ['provisioning', hire('provisioning'), before, true, true, false],
    ['active', hire('active'), before, true, true, true],
    ['canceled, before its period end', hire('canceled', true, END), before, false, true, true],
    ['canceled, at its period end', hire('canceled', true, END), END, false, false, false],
    ['canceled at once', hire('canceled', false, before), before, false, false, false],
  ])('follow the state: %s', (_, state, now, atPeriodEnd, atOnce, tools) => {
    expect(canCancelAtPeriodEnd(state)).toBe(atPeriodEnd);
    expect(canCancelNow(state, now)).toBe(atOnce);
    expect(hasTools(state, now)).toBe(tools);
  });
});

describe('Agent id', () => {
  it.each([
    ['Ada Lovelace', 'ada-lovelace-0123456789ab'],
    ['  Zoë — Q&A!  ', 'zoe-q-a-0123456789ab'],
    ['日本', 'employee-0123456789ab'],
    ['../../etc', 'etc-0123456789ab'],
    ['x'.repeat(200), `${'x'.repeat(40)}-0123456789ab`],
  ])('is made from the name %s', (name, expected) => {
    expect(agentIdFor(name, HIRE_ID)).toBe(expected);
  });
});

it('names each package once, in order', () => {
  expect(packagesOf({ packages: ['b', 'a', 'b'] })).toEqual(['b', 'a']);
  expect(packagesOf({})).toEqual([]);
});

it('never shows the credentials of a repository', () => {
  const shown = (url: string) => shownRepository({ url })?.url;
  expect(shown('https://me:secret@git.test/a.git')).toBe('https://git.test/a.git');
  expect(shown('https://git.test/a@b.git')).toBe('https://git.test/a@b.git');
  expect(shown('ssh://git@git.test/a.git')).toBe('ssh://git.test/a.git');
  expect(shown('git@git.test:a.git')).toBe('git@git.test:a.git');
  expect(shownRepository(null)).toBeNull();
});

describe('Build steps of a hire', () => {
  const build = {
    employee_name: 'Ada',
    builder: true,
    template: { packages: ['mail'] },
    repository: null,
    built_at: null,
    failed_step: null,
    error: null,
  };
  const states = (changes: object) => describeSteps({ ...build, ...changes }).map(({ state }) => state);

  it('include a desk only for a builder', () => {
    expect(describeSteps({ ...build, builder: false }).map(({ key }) => key)).toEqual([
      'agent',
      'packages',
      'workspace',
    ]);
  });

  it('are all done after the build', () => {
    expect(states({ built_at: HIRED })).toEqual(['done', 'done', 'done', 'done']);
  });

  it('show the reason of a failed step and block the later ones', () => {
    expect(states({ failed_step: 'packages', error: 'No' })).toEqual([
      'pending',
      'failed',
      'blocked',
      'blocked',
    ]);
    const [, failed, blocked] = describeSteps({ ...build, failed_step: 'packages', error: 'No' });
    expect([failed?.reason, blocked?.reason]).toEqual(['No', 'blocked_by:packages']);
  });
});
