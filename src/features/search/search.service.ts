import type { MemberCaller } from '../../kernel/access.js';
import { DeadlineExceeded, within } from '../../kernel/async.js';
import type { Route } from '../../platform/http/declaration/route.js';
import { admits } from '../../platform/http/request/authentication.js';
import type { BoardService } from '../boards/index.js';
import type { BuildService } from '../builds/index.js';
import type { LessonService } from '../lessons/index.js';
import type { MemoryService } from '../memory/index.js';
import type { ProjectService } from '../projects/index.js';
import type { WorkspaceService } from '../workspaces/index.js';
import { cutSnippet, findWords, rankName, readWords } from './matching.js';
import { SEARCH_KINDS, type SearchCalls, type SearchHit, type SearchKind } from './search.routes.js';

export interface SearchOptions extends SearchSources {
  routes(): readonly Route[];
  /** A kind that takes longer is left out of the response. Default: 1000. */
  deadlineMs?: number;
}

/** A caller can search a kind if they can call the route that lists it. */
const LISTED_BY: Record<SearchKind, string> = {
  card: 'find_tasks',
  board: 'list_boards',
  person: 'list_members',
  agent: 'list_agents',
  memory: 'list_memories',
  lesson: 'list_lessons',
  build: 'list_builds',
  project: 'list_projects',
};

const DEADLINE_MS = 1000;

export function createSearchService({
  routes,
  deadlineMs = DEADLINE_MS,
  ...sources
}: SearchOptions): SearchCalls {
  const mayCall = (caller: MemberCaller, name: string): boolean => {
    const route = routes().find((each) => each.name === name);
    if (!route) throw new Error(`There is no route ${name}`);
    return admits(route.access, caller);
  };

  return {
    async search(caller, { query, kinds, limit }) {
      const requested = kinds?.split(',') ?? SEARCH_KINDS;
      const searched = SEARCH_KINDS.filter(
        (kind) => requested.includes(kind) && mayCall(caller, LISTED_BY[kind]),
      );
      const words = readWords(query);
      if (words.length === 0) return { groups: [], searched, late: [] };
      const finders = createFinders(sources, {
        caller,
        text: query,
        words,
        // One hit more than requested shows whether there are more.
        limit: limit + 1,
        seesGuests: mayCall(caller, 'list_guests'),
      });
      const found = await Promise.all(
        searched.map(async (kind) => ({ kind, hits: await unlessLate(finders[kind]()) })),
      );
      return {
        groups: found.flatMap(({ kind, hits }) =>
          hits && hits.length > 0 ? [{ kind, hits: hits.slice(0, limit), more: hits.length > limit }] : [],
        ),
        searched,
        late: found.flatMap(({ kind, hits }) => (hits ? [] : [kind])),
      };
    },
  };

  function unlessLate<T>(work: Promise<T>): Promise<T | undefined> {
    return within(deadlineMs, work).catch((error: unknown) => {
      if (error instanceof DeadlineExceeded) return undefined;
      throw error;
    });
  }
}

interface SearchSources {
  boards: Pick<BoardService, 'listBoardNames' | 'searchCards'>;
  workspaces: {
    members: Pick<WorkspaceService['members'], 'listNames'>;
    guests: Pick<WorkspaceService['guests'], 'listNames'>;
    features: Pick<WorkspaceService['features'], 'isShown'>;
  };
  memory: Pick<MemoryService, 'listAgentNames' | 'findMemoriesByWords'>;
  lessons: Pick<LessonService, 'findLessonsByWords'>;
  builds: Pick<BuildService, 'findWordedBuilds'>;
  projects: Pick<ProjectService, 'listNames'>;
}

interface SearchRequest {
  caller: MemberCaller;
  text: string;
  words: string[];
  limit: number;
  seesGuests: boolean;
}

type Finders = Record<SearchKind, () => Promise<SearchHit[]>>;

function createFinders(sources: SearchSources, request: SearchRequest): Finders {
  const { caller, text, words, limit } = request;
  const { brandId } = caller;
  let crmShown: Promise<boolean> | undefined;
  const isCrmShown = () => {
    crmShown ??= sources.workspaces.features.isShown(brandId, 'crm');
    return crmShown;
  };

  return {
    async card() {
      const cards = await sources.boards.searchCards(caller, { text, limit, crm: await isCrmShown() });
      return cards.map(
        ({ card_id, ref, title, status, board_id, board_name, instructions, result, comment }) => {
          const hit = makeHit(
            { kind: 'card', id: card_id, title, ref, status, board_id, within: board_name },
            words,
            [
              { field: 'instructions', text: instructions },
              { field: 'result', text: result },
              { field: 'comment', text: comment?.body ?? null },
            ],
          );
          if (hit.field !== 'comment' || !comment) return hit;
          return { ...hit, comment_id: comment.id, ...(comment.author !== null && { by: comment.author }) };
        },
      );
    },

    async board() {
      const [boards, crm] = await Promise.all([sources.boards.listBoardNames(caller, words), isCrmShown()]);
      return matchNames(
        boards.filter(({ board_type }) => board_type !== 'crm' || crm),
        ({ name, key }) => `${name} ${key}`,
        words,
        limit,
      ).map(({ board_id, name, key }) =>
        makeHit({ kind: 'board', id: board_id, title: name, ref: key, board_id }, words, [
          { field: 'key', text: key },
        ]),
      );
    },

    async person() {
      const people = await listPeople(sources, request);
      return matchNames(people, ({ full_name, email }) => `${full_name} ${email}`, words, limit).map(
        ({ user_id, full_name, email, role }) =>
          makeHit({ kind: 'person', id: String(user_id), title: full_name, status: role }, words, [
            { field: 'email', text: email },
          ]),
      );
    },

    async agent() {
      const agents = await sources.memory.listAgentNames(brandId, words);
      return matchNames(agents, ({ agent_id, name }) => `${name} ${agent_id}`, words, limit).map(
        ({ agent_id, name }) =>
          makeHit({ kind: 'agent', id: agent_id, title: name, agent_id }, words, [
            { field: 'agent_id', text: agent_id },
          ]),
      );
    },

    async memory() {
      const memories = await sources.memory.findMemoriesByWords(brandId, text, limit);
      return memories.map(({ memory_id, agent_id, title, body, description, tags }) =>
        makeHit({ kind: 'memory', id: memory_id, title, agent_id, within: agent_id }, words, [
          { field: 'body', text: body },
          { field: 'description', text: description },
          { field: 'tags', text: tags.join(', ') },
        ]),
      );
    },

    async lesson() {
      const lessons = await sources.lessons.findLessonsByWords(brandId, text, limit);
      return lessons.map(({ lesson_id, project_id, project, path, title, body }) =>
        makeHit({ kind: 'lesson', id: lesson_id, title, project_id, path, within: project }, words, [
          { field: 'body', text: body },
        ]),
      );
    },

    async build() {
      const builds = await sources.builds.findWordedBuilds(brandId, text, limit);
      return builds.map(({ build_id, task_id, ref, attempt, coder, status, note, reason, result, branch }) =>
        makeHit(
          {
            kind: 'build',
            id: build_id,
            title: `${ref}, attempt ${attempt} by ${coder}`,
            ref,
            status,
            task_id,
          },
          words,
          [
            { field: 'note', text: note },
            { field: 'result', text: result },
            { field: 'reason', text: reason },
            { field: 'branch', text: branch },
          ],
        ),
      );
    },

    async project() {
      const projects = await sources.projects.listNames(brandId, words);
      return matchNames(
        projects,
        ({ name, repository_url }) => `${name} ${repository_url ?? ''}`,
        words,
        limit,
      ).map(({ project_id, name, repository_url }) =>
        makeHit({ kind: 'project', id: project_id, title: name, project_id }, words, [
          { field: 'repository', text: repository_url },
        ]),
      );
    },
  };
}

async function listPeople({ workspaces }: SearchSources, { caller, words, seesGuests }: SearchRequest) {
  const [members, guests] = await Promise.all([
    workspaces.members.listNames(caller.brandId, words),
    seesGuests ? workspaces.guests.listNames(caller.brandId, words) : [],
  ]);
  return [...members, ...guests.map((guest) => ({ ...guest, role: 'guest' }))];
}

interface FieldText {
  field: string;
  text: string | null;
}

type Facts = Omit<SearchHit, 'field' | 'snippet' | 'marks'>;

/** Takes the snippet from the field that contains most of the words, or the first such field. */
function makeHit(facts: Facts, words: readonly string[], fields: readonly FieldText[]): SearchHit {
  const texts = [{ field: 'title', text: facts.title }, ...fields].filter(
    (each): each is { field: string; text: string } => each.text !== null && each.text !== '',
  );
  let best = { field: 'title', text: facts.title, ...findWords(facts.title, words) };
  for (const { field, text } of texts.slice(1)) {
    if (best.words === words.length) break;
    const match = findWords(text, words);
    if (match.words > best.words) best = { field, text, ...match };
  }
  return { ...facts, field: best.field, ...cutSnippet(best.text, best.marks) };
}

/** Items whose names have all the words, the closest match first. */
function matchNames<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  words: readonly string[],
  limit: number,
): T[] {
  return items
    .map((item) => ({ item, name: nameOf(item), rank: rankName(nameOf(item), words) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => other.rank! - one.rank! || (one.name < other.name ? -1 : 1))
    .slice(0, limit)
    .map(({ item }) => item);
}
