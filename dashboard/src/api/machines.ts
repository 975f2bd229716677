import type {
  DeskTimeline,
  HireStep,
  OnboardingStep,
  OrderWorkstationArguments,
  RegeneratedToken,
  UpdateEnvironmentArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type {
  Environment,
  ListedWorkstation,
  MachineUpdate,
  Workstation,
} from '../../../client/src/index.js';
export type Step = OnboardingStep | (HireStep & { hint?: null });
export type Secrets = RegeneratedToken;
export type TimelineItem = DeskTimeline['items'][number];
export type { Build } from '../../../client/src/index.js';

export const RUNTIMES = ['claude_code', 'codex', 'custom'] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** Includes each desk's environment: when it was last seen, and what runs on it. */
export const listWorkstations = (signal?: AbortSignal) =>
  guildhall.listWorkstations({ with: 'environment' }, { signal });

export const orderWorkstation = (order: OrderWorkstationArguments) => guildhall.orderWorkstation(order);

export const readWorkstation = (workstation_id: string, signal?: AbortSignal) =>
  guildhall.getWorkstation({ workstation_id }, { signal });

export const releaseWorkstation = (workstation_id: string) =>
  guildhall.releaseWorkstation({ workstation_id });

export const regenerateToken = (workstation_id: string) => guildhall.regenerateDeskToken({ workstation_id });

export const readEnvironment = (workstation_id: string, signal?: AbortSignal) =>
  guildhall.getEnvironment({ workstation_id }, { signal });

export const changeEnvironment = (
  workstation_id: string,
  changes: Omit<UpdateEnvironmentArguments, 'workstation_id'>,
) => guildhall.updateEnvironment({ ...changes, workstation_id });

export const setDeskPhoto = (workstation_id: string, file: File) =>
  guildhall.setEnvironmentImage({ workstation_id, file });

export const removeDeskPhoto = (workstation_id: string) =>
  guildhall.removeEnvironmentImage({ workstation_id });

const TIMELINE_PAGE = 200;
const MOST_PAGES = 5;

export interface DeskPast {
  items: TimelineItem[];
  /** Events before this time were not loaded; null when all were. */
  knownSince: string | null;
}

/** Reads a desk's events since a time, newest first, and the last event before it. */
export async function readPast(workstation_id: string, since: Date, signal?: AbortSignal): Promise<DeskPast> {
  const items: TimelineItem[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const before = items.at(-1)?.id;
    const answer = await guildhall.listDeskTimeline(
      { workstation_id, limit: TIMELINE_PAGE, ...(before !== undefined && { before }) },
      { signal },
    );
    items.push(...answer.items);
    if (answer.items.length < TIMELINE_PAGE) return { items, knownSince: null };
    const known = items.findLast(({ to }) => to !== null);
    if (known && new Date(known.at) < since) break;
  }
  return { items, knownSince: items.at(-1)?.at ?? null };
}

export const listDeskBuilds = (workstation_id: string, limit: number, signal?: AbortSignal) =>
  guildhall.listBuilds({ workstation_id, limit }, { signal });

const MOST_RUNNING = 100;

export async function countRunningBuilds(signal?: AbortSignal): Promise<Map<string, number>> {
  const { builds } = await guildhall.listBuilds({ status: 'running', limit: MOST_RUNNING }, { signal });
  const counts = new Map<string, number>();
  for (const { workstation_id: desk } of builds) if (desk) counts.set(desk, (counts.get(desk) ?? 0) + 1);
  return counts;
}

export const readReauthStatus = (signal?: AbortSignal) => guildhall.getReauthStatus({}, { signal });

export const listUpdates = (machine_id: string, signal?: AbortSignal) =>
  guildhall.listMachineUpdates({ machine_id, limit: 10 }, { signal });

export const liftHold = (machine_id: string) => guildhall.liftDeskHold({ machine_id });

export const retryLogins = (machine_id: string) => guildhall.retryDeskLogins({ machine_id });

export const requestUpdate = (machine_id: string) => guildhall.requestMachineUpdate({ machine_id });

export const requestAllUpdates = () => guildhall.requestAllMachineUpdates();
