/** The checklist says `ready` where the environment says `active`. */
export type DeskState = 'provisioning' | 'ready' | 'unreachable' | 'suspended';

const RECORD_STATES: Record<string, DeskState> = {
  provisioned: 'provisioning',
  active: 'ready',
  unreachable: 'unreachable',
  suspended: 'suspended',
};

export const stateOfRecord = (status: string | null): DeskState | undefined => RECORD_STATES[status ?? ''];
