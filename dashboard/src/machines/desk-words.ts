import type { Environment, ListedWorkstation, Step, TimelineItem, Workstation } from '../api/machines.js';
import { formatInstant, plainWords, sentence, type Tone } from '../ui/display.js';
import { type DeskState, stateOfRecord } from './desk-states.js';

export const STATE_WORDS: Record<DeskState, string> = {
  provisioning: 'being set up',
  ready: 'ready',
  unreachable: 'unreachable',
  suspended: 'suspended',
};

export const STATE_TONES: Record<DeskState, Tone> = {
  provisioning: 'info',
  ready: 'good',
  unreachable: 'bad',
  suspended: 'warn',
};

const RUNTIME_WORDS: Record<string, string> = {
  claude_code: 'Claude Code',
  codex: 'Codex',
  custom: 'Custom',
};
export const runtimeWords = (runtime: string): string => RUNTIME_WORDS[runtime] ?? sentence(runtime);

/** The first incomplete setup step; undefined once the desk is ready. */
export const openStep = ({ onboarding_steps: steps }: Pick<Workstation, 'onboarding_steps'>) =>
  steps.find(({ done }) => !done);

const REASON_WORDS: Record<string, string> = {
  awaiting_callback: 'waits for its installer',
  awaiting_wg_peer: 'is joining the mesh',
  awaiting_first_health_check: 'waits for its sidecar to answer',
  awaiting_ready: 'was resumed and has not answered yet',
  installer_failed: 'installation failed',
  misrouted: 'was installed on the machine of another desk',
  unreachable: 'does not answer',
  suspended: 'is suspended',
};

/** The reason why a desk is not ready, as part of a sentence. */
export function whyWaiting(desk: Workstation): string | undefined {
  const step = openStep(desk);
  if (!step) return undefined;
  return REASON_WORDS[step.reason ?? ''] ?? `${step.title}: ${plainWords(step.reason ?? step.state)}`;
}

/** Whether running the install command again would help. */
export const needsInstaller = (step: Step | undefined): boolean =>
  step !== undefined && step.reason !== 'suspended' && step.reason !== 'awaiting_ready';

/** Separates the coders of the desk's runtime from coders that need another one. */
export function splitCoders({ coders, runtime }: Environment) {
  const foreign = `its runtime is ${runtime}`;
  return {
    own: coders.filter(({ reason }) => reason !== foreign),
    others: coders.filter(({ reason }) => reason === foreign),
  };
}

/** Coders that get no builds because their login was rejected; compares with the service's own text. */
export const refusedCoders = ({ coders }: Environment): string[] =>
  coders.filter(({ reason }) => reason === 'its login was refused').map(({ coder }) => coder);

/** The reason why a ready desk cannot build; undefined if it can. */
export function whyIdle({ ready: isReady, environment }: ListedWorkstation): string | undefined {
  if (!isReady || !environment) return undefined;
  if (environment.held_until) return `on hold until ${formatInstant(environment.held_until)}`;
  const [first] = splitCoders(environment).own;
  const none = !environment.coders.some(({ ready }) => ready);
  return none && first ? `no ${first.coder}: ${first.reason}` : undefined;
}

const EVENT_WORDS: Record<string, string> = {
  held: "Held: its provider's limit was reached",
  hold_lifted: 'The hold was lifted',
  login_refused: 'A login was refused',
  ordered: 'Ordered',
  hello: 'The installer called back',
  hello_refused: 'The machine was refused',
  mesh_registered: 'Joined the mesh',
  sidecar_registered: 'The sidecar registered',
  sidecar_updated: 'The sidecar was updated',
  token_regenerated: 'New token created',
  repointed: 'Its address was changed',
  misrouted: 'Another desk answered',
};

export function eventWords(item: TimelineItem): string {
  if (item.kind === 'status') {
    const state = stateOfRecord(item.to);
    return state ? sentence(STATE_WORDS[state]) : 'Changed';
  }
  return EVENT_WORDS[item.kind] ?? sentence(item.kind.replaceAll('.', ' '));
}

/** Events between the order and the first health check. */
const INSTALLATION = new Set([
  'ordered',
  'token_regenerated',
  'hello',
  'hello_refused',
  'installer_step',
  'mesh_registered',
  'sidecar_registered',
]);
export const isOfInstallation = ({ kind }: TimelineItem): boolean => INSTALLATION.has(kind);

export const isListed = (desk: ListedWorkstation, words: string): boolean => {
  const text = `${desk.name} ${desk.environment?.description ?? ''} ${desk.environment?.hostname ?? ''} ${desk.runtime}`;
  return text.toLowerCase().includes(words.trim().toLowerCase());
};
