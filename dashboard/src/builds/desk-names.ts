import { useMemo } from 'react';
import { listWorkstations } from '../api/machines.js';
import { useResource } from '../api/resource.js';

export type Names = ReadonlyMap<string, string>;

export function useDeskNames(): Names {
  const desks = useResource('desks', listWorkstations, { freshMs: 60_000 });
  return useMemo(() => {
    const all = [...(desks.data?.workstations ?? []), ...(desks.data?.dormant ?? [])];
    return new Map(all.map(({ workstation_id, name }) => [workstation_id, name]));
  }, [desks.data]);
}
