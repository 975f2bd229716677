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
  MachineUpdate,
  Workstation,
} from '../../../client/src/index.js';
export type Step = OnboardingStep | (HireStep & { hint?: null });
export type Secrets = RegeneratedToken;
export type TimelineItem = DeskTimeline['items'][number];

export const RUNTIMES = ['claude_code', 'codex', 'custom'] as const;
export type Runtime = (typeof RUNTIMES)[number];

export const listWorkstations = (signal?: AbortSignal) => guildhall.listWorkstations({}, { signal });

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

export const readTimeline = (workstation_id: string, signal?: AbortSignal) =>
  guildhall.listDeskTimeline({ workstation_id, limit: 50 }, { signal });

export const readReauthStatus = (signal?: AbortSignal) => guildhall.getReauthStatus({}, { signal });

export const listUpdates = (machine_id: string, signal?: AbortSignal) =>
  guildhall.listMachineUpdates({ machine_id, limit: 10 }, { signal });

export const requestUpdate = (machine_id: string) => guildhall.requestMachineUpdate({ machine_id });

export const requestAllUpdates = () => guildhall.requestAllMachineUpdates();
