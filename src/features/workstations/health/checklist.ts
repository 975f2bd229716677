import { type EnvironmentStatus, MISSES_TO_UNREACHABLE } from './desk-status.js';

export const STEP_KEYS = ['run_installer', 'wg_register', 'sidecar_up', 'ready'] as const;
export type StepKey = (typeof STEP_KEYS)[number];
export type StepState = 'pending' | 'done' | 'failed' | 'blocked';

export interface OnboardingStep {
  key: StepKey;
  title: string;
  state: StepState;
  reason: string | null;
  hint: string | null;
  done: boolean;
}

export interface OnboardingFacts {
  status: EnvironmentStatus;
  saidHello: boolean;
  /** The installer's last exit code since the last hello, or null while it runs or if it never ran. */
  installerExitCode: number | null;
  installerMessage: string | null;
  meshRegistered: boolean;
  sidecarRegistered: boolean;
  everAnswered: boolean;
  misrouted: boolean;
  misses: number;
}

const TITLES: Record<StepKey, string> = {
  run_installer: 'Run the installer on the machine',
  wg_register: 'Join the mesh',
  sidecar_up: 'Sidecar answers',
  ready: 'Desk is ready',
};

interface Stall {
  key: StepKey;
  state: 'pending' | 'failed';
  reason: string;
  hint: string;
}

/** Every step before the stalled one is done, and it blocks every step after it. */
export function onboardingSteps(facts: OnboardingFacts): OnboardingStep[] {
  const stall = findStall(facts);
  const stallAt = stall ? STEP_KEYS.indexOf(stall.key) : STEP_KEYS.length;
  return STEP_KEYS.map((key, index) => {
    const step = { key, title: TITLES[key], done: index < stallAt };
    if (!stall || step.done) return { ...step, state: 'done', reason: null, hint: null };
    if (index === stallAt) return { ...step, state: stall.state, reason: stall.reason, hint: stall.hint };
    return { ...step, state: 'blocked', reason: `blocked_by:${stall.key}`, hint: null };
  });
}

function findStall(facts: OnboardingFacts): Stall | undefined {
  const stall = findOpenStep(facts);
  if (facts.status !== 'suspended') return stall;
  const hint = 'The desk is paused. Set its status to provisioned to resume.';
  return pending(stall?.key ?? 'ready', 'suspended', hint);
}

function findOpenStep(facts: OnboardingFacts): Stall | undefined {
  if (isFailure(facts.installerExitCode))
    return installerFailed(facts.installerExitCode, facts.installerMessage);
  if (facts.misrouted) return MISROUTED;
  // A sidecar that has proved its token is installed, even if the installer's reports got lost.
  if (!facts.saidHello && !facts.everAnswered) return AWAITING_CALLBACK;
  if (!facts.meshRegistered && !facts.everAnswered) return AWAITING_PEER;
  if (isUnreachable(facts)) return UNREACHABLE;
  if (!facts.everAnswered) return facts.sidecarRegistered ? AWAITING_CHECK : AWAITING_SIDECAR;
  return facts.status === 'provisioned' ? AWAITING_READY : undefined;
}

const isFailure = (code: number | null): code is number => code !== null && code !== 0;

/** A desk suspended while unreachable is still unreachable. */
const isUnreachable = ({ status, everAnswered, misses }: OnboardingFacts): boolean =>
  status === 'unreachable' || (status === 'suspended' && everAnswered && misses >= MISSES_TO_UNREACHABLE);

const pending = (key: StepKey, reason: string, hint: string): Stall => ({
  key,
  state: 'pending',
  reason,
  hint,
});
const failed = (key: StepKey, reason: string, hint: string): Stall => ({
  key,
  state: 'failed',
  reason,
  hint,
});

const AWAITING_CALLBACK = pending(
  'run_installer',
  'awaiting_callback',
  'Run the install command as root on the machine. If it already ran, outgoing HTTPS to this service may be blocked by a firewall.',
);
const AWAITING_PEER = pending(
  'wg_register',
  'awaiting_wg_peer',
  'The installer has called back and is about to join the mesh. If nothing happens for a minute, run the install command again.',
);
const AWAITING_SIDECAR = pending(
  'sidecar_up',
  'awaiting_first_health_check',
  'The sidecar has not registered yet. If nothing happens for a minute, run the install command again.',
);
const AWAITING_CHECK = pending(
  'sidecar_up',
  'awaiting_first_health_check',
  'The sidecar is registered and has not answered a health check yet. On the machine, guildhall-sidecar status shows whether it runs.',
);
const MISROUTED = failed(
  'sidecar_up',
  'misrouted',
  'This machine already hosts another desk. Run the installer on a machine of its own, or run guildhall-sidecar uninstall there first.',
);
const UNREACHABLE = failed(
  'sidecar_up',
  'unreachable',
  'Three health checks in a row were missed. Check that the machine is on and connected; running the install command again repairs it.',
);
const AWAITING_READY = pending(
  'ready',
  'awaiting_ready',
  'The desk was resumed and has not answered since. It is ready as soon as its sidecar answers the next health check.',
);

const INSTALLER_HINTS: Record<number, string> = {
  6: 'The installer needs root: use the command that ends with | sudo bash.',
  10: 'The machine is not supported: a 64-bit Linux on x86 or ARM with curl, tar and sha256sum is needed.',
  11: 'The installer could not download what it needs. Check the outgoing connections of the machine and run it again.',
  12: 'A download did not have the expected digest, so nothing was installed. A proxy may alter downloads; run the command again.',
  13: 'The token was refused. Make a new one and use its install command.',
  14: 'The machine already hosts another desk. Use a machine of its own.',
  15: 'The machine could not join the mesh. Check that outgoing UDP is allowed and run the command again.',
};

function installerFailed(code: number, message: string | null): Stall {
  const hint = INSTALLER_HINTS[code] ?? 'Run the install command again; its output says what went wrong.';
  const said = message ? ` It said: ${message}` : '';
  return failed('run_installer', 'installer_failed', `The installer ended with code ${code}. ${hint}${said}`);
}
