import { guildhall } from './client.js';

export type { Employee, Hire } from '../../../client/src/index.js';

export const listEmployees = (signal?: AbortSignal) => guildhall.listEmployees({}, { signal });

export const listHires = (signal?: AbortSignal) => guildhall.listHires({}, { signal });

export const readHire = (hire_id: string, signal?: AbortSignal) => guildhall.getHire({ hire_id }, { signal });

export const hire = (profile_id: string) => guildhall.hireEmployee({ profile_id });

export const cancelAtPeriodEnd = (hire_id: string) => guildhall.cancelHire({ hire_id });

export const cancelNow = (hire_id: string) => guildhall.cancelHireNow({ hire_id });

export const readGrants = (agent_id: string, signal?: AbortSignal) =>
  guildhall.getAgentGrants({ agent_id }, { signal });
