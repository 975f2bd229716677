import { useMemo } from 'react';
import { listBoards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { useDirectory as usePeopleAndAgents } from '../boards/use-directory.js';
import { useFeatures } from '../shell/areas.js';

interface Named {
  id: string;
  name: string;
}

/** Who and what cards can be with, by name. */
export interface Directory {
  people: Named[];
  agents: Named[];
  boards: Named[];
  nameAgent(agentId: string): string;
}

export function useDirectory(): Directory {
  const crm = useFeatures()?.switches.crm.on !== false;
  const { people, agents } = usePeopleAndAgents(undefined);
  const boards = useResource('boards', listBoards, { freshMs: 60_000 });
  return useMemo(
    () => ({
      people: people.map(({ user_id, name }) => ({ id: String(user_id), name })),
      agents: agents.map(({ agent_id, name }) => ({ id: agent_id, name })),
      boards: (boards.data?.boards ?? [])
        .filter(({ board_type }) => crm || board_type !== 'crm')
        .map(({ board_id, name }) => ({ id: board_id, name })),
      nameAgent: (agentId) => agents.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId,
    }),
    [people, agents, boards.data, crm],
  );
}
