import { describe, expect, it } from 'vitest';
import { type OnboardingFacts, onboardingSteps } from './checklist.js';
import { isDormant, workstationStatus } from './desk-status.js';

const ordered: OnboardingFacts = {
  status: 'provisioned',
  saidHello: false,
  installerExitCode: null,
  installerMessage: null,
  meshRegistered: false,
  sidecarRegistered: false,
  everAnswered: false,
  misrouted: false,
  misses: 0,
};
const hello = { ...ordered, saidHello: true };
const meshed = { ...hello, meshRegistered: true };
const registered = { ...meshed, sidecarRegistered: true };
const ready: OnboardingFacts = { ...registered, everAnswered: true, status: 'active' };

type Row = [
  situation: string,
  facts: OnboardingFacts,
  stall: [key: string, state: string, reason: string] | null,
];

const table: Row[] = [
  [
    'ordered, and the installer has not called yet',
    ordered,
    ['run_installer', 'pending', 'awaiting_callback'],
  ],
  [
    'the installer ended with a code before hello',
    { ...ordered, installerExitCode: 11 },
    ['run_installer', 'failed', 'installer_failed'],
  ],
  [
    'the installer ended with a code after hello',
    { ...meshed, installerExitCode: 15 },
    ['run_installer', 'failed', 'installer_failed'],
  ],
  [
    'the installer ended with 0',
    { ...hello, installerExitCode: 0 },
    ['wg_register', 'pending', 'awaiting_wg_peer'],
  ],
  ['hello, no mesh yet', hello, ['wg_register', 'pending', 'awaiting_wg_peer']],
  ['in the mesh, no sidecar yet', meshed, ['sidecar_up', 'pending', 'awaiting_first_health_check']],
  [
    'sidecar registered, never answered',
    registered,
    ['sidecar_up', 'pending', 'awaiting_first_health_check'],
  ],
  [
    'sidecar registered, checks missed, never answered',
    { ...registered, misses: 3 },
    ['sidecar_up', 'pending', 'awaiting_first_health_check'],
  ],
  [
    'the installer ran on a machine of another desk',
    { ...ordered, misrouted: true },
    ['sidecar_up', 'failed', 'misrouted'],
  ],
  ['another desk answers', { ...registered, misrouted: true }, ['sidecar_up', 'failed', 'misrouted']],
  [
    'another desk answers for one that was ready',
    { ...ready, misrouted: true, misses: 1 },
    ['sidecar_up', 'failed', 'misrouted'],
  ],
  [
    'registered, then its sidecar stopped answering',
    { ...ready, status: 'unreachable', misses: 3 },
    ['sidecar_up', 'failed', 'unreachable'],
  ],
  [
    'resumed, never answered, three misses',
    { ...registered, status: 'unreachable', misses: 3 },
    ['sidecar_up', 'failed', 'unreachable'],
  ],
  [
    'resumed, and not answered since',
    { ...ready, status: 'provisioned' },
    ['ready', 'pending', 'awaiting_ready'],
  ],
  ['resumed before it ever answered', registered, ['sidecar_up', 'pending', 'awaiting_first_health_check']],
  ['ready', ready, null],
  ['ready with a miss', { ...ready, misses: 2 }, null],
  [
    'answered without reporting its steps',
    { ...ordered, sidecarRegistered: true, everAnswered: true, status: 'active' },
    null,
  ],
  [
    'ready, and a repair failed',
    { ...ready, installerExitCode: 12 },
    ['run_installer', 'failed', 'installer_failed'],
  ],
  ['suspended while ready', { ...ready, status: 'suspended' }, ['ready', 'pending', 'suspended']],
  [
    'suspended before the installer ran',
    { ...ordered, status: 'suspended' },
    ['run_installer', 'pending', 'suspended'],
  ],
  ['suspended after hello', { ...hello, status: 'suspended' }, ['wg_register', 'pending', 'suspended']],
  [
    'suspended before the first answer',
    { ...registered, status: 'suspended' },
    ['sidecar_up', 'pending', 'suspended'],
  ],
  [
    'suspended while unreachable',
    { ...ready, status: 'suspended', misses: 3 },
    ['sidecar_up', 'pending', 'suspended'],
  ],
  [
    'suspended while misrouted',
    { ...registered, status: 'suspended', misrouted: true },
    ['sidecar_up', 'pending', 'suspended'],
  ],
];

describe('Onboarding steps', () => {
  it.each(table)('%s', (_situation, facts, stall) => {
    const steps = onboardingSteps(facts);
    expect(steps.map(({ key }) => key)).toEqual(['run_installer', 'wg_register', 'sidecar_up', 'ready']);
    const open = steps.filter(({ state }) => state !== 'done');
    if (stall === null) {
      expect(open).toEqual([]);
    } else {
      const [first, ...later] = open;
      expect([first?.key, first?.state, first?.reason]).toEqual(stall);
      for (const step of later) {
        expect(step).toMatchObject({
          state: 'blocked',
          reason: `blocked_by:${stall[0]}`,
          hint: null,
          done: false,
        });
      }
    }
    // In a stalled checklist exactly one step carries a hint.
    expect(steps.filter(({ hint }) => hint !== null)).toHaveLength(stall === null ? 0 : 1);
    for (const step of steps) expect(step.done).toBe(step.state === 'done');
    for (const step of steps.filter(({ done }) => done)) expect(step.reason).toBeNull();
  });

  it('include exit code and installer message in the hint', () => {
    const [step] = onboardingSteps({ ...ordered, installerExitCode: 15, installerMessage: 'no handshake' });
    expect(step?.hint).toContain('15');
    expect(step?.hint).toContain('no handshake');
  });
});

describe('Desk status', () => {
  it.each([
    ['provisioned', 'provisioning'],
    ['active', 'ready'],
    ['unreachable', 'unreachable'],
    ['suspended', 'suspended'],
  ] as const)('%s of the environment is %s of the workstation', (environment, workstation) => {
    expect(workstationStatus(environment)).toBe(workstation);
  });
});

describe('Dormancy', () => {
  const created = new Date('2026-01-01T00:00:00Z');
  const days = (count: number, milliseconds = 0) =>
    new Date(created.getTime() + count * 86_400_000 + milliseconds);
  const desk = { status: 'active' as const, lastContactAt: created, createdAt: days(-100) };

  it('starts after more than 14 days since the last contact', () => {
    expect(isDormant(desk, days(14))).toBe(false);
    expect(isDormant(desk, days(14, 1))).toBe(true);
  });

  it('counts from the order when the desk never made contact', () => {
    const never = { ...desk, status: 'provisioned' as const, lastContactAt: null, createdAt: created };
    expect(isDormant(never, days(14))).toBe(false);
    expect(isDormant(never, days(14, 1))).toBe(true);
  });

  it('does not apply to a suspended desk', () => {
    expect(isDormant({ ...desk, status: 'suspended' }, days(400))).toBe(false);
  });
});
