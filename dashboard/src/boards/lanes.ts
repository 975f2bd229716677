import type { Board, CardPatch, TileCard } from '../api/boards.js';
import { FORMER_MEMBER } from '../ui/format.js';
import type { Rights } from './board-rights.js';
import type { Directory } from './use-directory.js';

/** Cards by cell id: a column, a swimlane's part of a column, or the whole list. */
export type Groups<C = TileCard> = ReadonlyMap<string, readonly C[]>;

export const LANE_KINDS = ['assignee', 'parent'] as const;
export type LaneKind = (typeof LANE_KINDS)[number];

export interface Lane {
  id: string;
  name: string;
  count: number;
  parent?: TileCard;
}

export interface LaneChange {
  body: CardPatch;
  shown: Partial<TileCard>;
  words: string;
}

const NONE = 'none';
const PERSON = 'person:';
const AGENT = 'agent:';

/** A card with a person and an agent belongs to the person's swimlane. */
export function laneIdOf(kind: LaneKind, card: TileCard): string {
  if (kind === 'parent') return card.parent_id ?? NONE;
  if (card.assignee) return `${PERSON}${card.assignee.user_id}`;
  return card.assignee_agent_id ? `${AGENT}${card.assignee_agent_id}` : NONE;
}

/** The cell where a swimlane and a column cross; without swimlanes, the column itself. */
export const cellIdOf = (laneId: string | undefined, columnId: string): string =>
  laneId === undefined ? columnId : `${laneId} ${columnId}`;

export const splitCellId = (cellId: string): { laneId: string | undefined; columnId: string } => {
  const at = cellId.lastIndexOf(' ');
  return at === -1
    ? { laneId: undefined, columnId: cellId }
    : { laneId: cellId.slice(0, at), columnId: cellId.slice(at + 1) };
};

/** Swimlanes that have cards, sorted by name, followed by the swimlane of unassigned cards. */
export function listLanes(
  kind: LaneKind,
  shown: readonly TileCard[],
  all: readonly TileCard[],
  directory: Directory,
): Lane[] {
  const counts = new Map<string, number>([[NONE, 0]]);
  for (const card of shown) {
    const id = laneIdOf(kind, card);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const cards = kind === 'parent' ? new Map(all.map((card) => [card.id, card])) : undefined;
  const lanes = [...counts].map(([id, count]): Lane => {
    const parent = cards?.get(id);
    return {
      id,
      count,
      name: parent ? parent.title : nameOf(kind, id, shown, directory),
      ...(parent && { parent }),
    };
  });
  return lanes.sort(
    (a, b) =>
      Number(a.id === NONE) - Number(b.id === NONE) || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1),
  );
}

function nameOf(
  kind: LaneKind,
  id: string,
  shown: readonly TileCard[],
  { people, agents }: Directory,
): string {
  if (id === NONE) return kind === 'parent' ? 'No parent' : 'Unassigned';
  if (kind === 'parent') return 'A card on another board';
  if (id.startsWith(AGENT)) {
    const agentId = id.slice(AGENT.length);
    return agents.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId;
  }
  const userId = Number(id.slice(PERSON.length));
  return (
    people.find(({ user_id }) => user_id === userId)?.name ??
    shown.find(({ assignee }) => assignee?.user_id === userId)?.assignee?.name ??
    FORMER_MEMBER
  );
}

/** Keeps the order of the cards within each column. */
export function splitByLane(groups: Groups, kind: LaneKind, lanes: readonly Lane[]): Groups {
  const cells = new Map<string, TileCard[]>();
  for (const { id } of lanes) for (const columnId of groups.keys()) cells.set(cellIdOf(id, columnId), []);
  for (const [columnId, cards] of groups)
    for (const card of cards) cells.get(cellIdOf(laneIdOf(kind, card), columnId))?.push(card);
  return cells;
}

/** Returns undefined when the card is already in the swimlane or the user may not move it there. */
export function laneChange(
  kind: LaneKind,
  card: TileCard,
  lane: Lane,
  rights: Rights,
): LaneChange | undefined {
  if (laneIdOf(kind, card) === lane.id) return undefined;
  if (kind === 'parent') {
    const parent_id = lane.id === NONE ? null : lane.id;
    const words = lane.parent ? `below ${lane.parent.ref}` : 'without a parent';
    return { body: { parent_id }, shown: { parent_id }, words };
  }
  if (lane.id.startsWith(PERSON)) {
    const user_id = Number(lane.id.slice(PERSON.length));
    const shown = { assignee: { user_id, name: lane.name } };
    return { body: { assignee: user_id }, shown, words: `assigned to ${lane.name}` };
  }
  const agentId = lane.id.startsWith(AGENT) ? lane.id.slice(AGENT.length) : null;
  const touchesAgent = card.assignee_agent_id !== agentId;
  if (touchesAgent && !rights.direct) return undefined;
  const fields = { assignee: null, ...(touchesAgent && { assignee_agent_id: agentId }) };
  return { body: fields, shown: fields, words: agentId ? `given to ${lane.name}` : 'with nobody' };
}

export const walkCells = (board: Board, lanes: readonly Lane[] | undefined): string[] =>
  (lanes ? lanes.map(({ id }): string | undefined => id) : [undefined]).flatMap((laneId) =>
    board.columns.map(({ id }) => cellIdOf(laneId, id)),
  );
