import { useMemo } from 'react';
import { listBoards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { type Rights, rightsOf } from '../boards/board-rights.js';
import { type Directory as Everybody, useDirectory as usePeopleAndAgents } from '../boards/use-directory.js';
import { useFeatures } from '../shell/areas.js';

interface Named {
  id: string;
  name: string;
}

export interface Directory {
  people: Named[];
  agents: Named[];
  boards: Named[];
  nameAgent(agentId: string): string;
  everybody: Everybody;
  /** The user's rights on a board; undefined while loading. */
  rightsOn(boardId: string): Rights | undefined;
}

export function useDirectory(): Directory {
  const crm = useFeatures()?.switches.crm.on !== false;
  const everybody = usePeopleAndAgents(undefined);
  const boards = useResource('boards', listBoards, { freshMs: 60_000 });
  return useMemo(() => {
    const { people, agents } = everybody;
    const rights = new Map(boards.data?.boards.map((board) => [board.board_id, rightsOf(board)]));
    return {
      everybody,
      rightsOn: (boardId) => rights.get(boardId),
      people: people.map(({ user_id, name }) => ({ id: String(user_id), name })),
      agents: agents.map(({ agent_id, name }) => ({ id: agent_id, name })),
      boards: (boards.data?.boards ?? [])
        .filter(({ board_type }) => crm || board_type !== 'crm')
        .map(({ board_id, name }) => ({ id: board_id, name })),
      nameAgent: (agentId) => everybody.agentNames.get(agentId) ?? agentId,
    };
  }, [everybody, boards.data, crm]);
}
