import type { MemberCaller } from '../../kernel/access.js';
import type { BoardService } from '../boards/index.js';
import type { BuildService } from '../builds/index.js';
import type { LessonService } from '../lessons/index.js';
import type { MemoryService } from '../memory/index.js';
import type { ProjectService } from '../projects/index.js';
import type { WorkspaceService } from '../workspaces/index.js';
import { cutSnippet, findWords, rankName } from './matching.js';
import type { SearchHit, SearchKind } from './search.schemas.js';

export interface SearchSources {
  boards: Pick<BoardService, 'listBoardNames' | 'searchCards'>;
  workspaces: {
    members: Pick<WorkspaceService['members'], 'listNames'>;
    guests: Pick<WorkspaceService['guests'], 'listNames'>;
    features: Pick<WorkspaceService['features'], 'isShown'>;
  };
  memory: Pick<MemoryService, 'listAgentNames' | 'findWordedMemories'>;
  lessons: Pick<LessonService, 'findWordedLessons'>;
  builds: Pick<BuildService, 'findWordedBuilds'>;
  projects: Pick<ProjectService, 'listNames'>;
}

interface Question {
  caller: MemberCaller;
  text: string;
  words: string[];
  limit: number;
  seesGuests: boolean;
}

type Finders = Record<SearchKind, () => Promise<SearchHit[]>>;

/** How each kind is found; a feature is asked only when its finder is called. */
export function createFinders(sources: SearchSources, question: Question): Finders {
  const { caller, text, words, limit } = question;
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
      const people = await listPeople(sources, question);
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
      const memories = await sources.memory.findWordedMemories(brandId, text, limit);
      return memories.map(({ memory_id, agent_id, title, body, description, tags }) =>
        makeHit({ kind: 'memory', id: memory_id, title, agent_id, within: agent_id }, words, [
          { field: 'body', text: body },
          { field: 'description', text: description },
          { field: 'tags', text: tags.join(', ') },
        ]),
      );
    },

    async lesson() {
      const lessons = await sources.lessons.findWordedLessons(brandId, text, limit);
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

async function listPeople({ workspaces }: SearchSources, { caller, words, seesGuests }: Question) {
  const [members, guests] = await Promise.all([
    workspaces.members.listNames(caller.brandId, words),
    seesGuests ? workspaces.guests.listNames(caller.brandId, words) : [],
  ]);
  return [...members, ...guests.map((guest) => ({ ...guest, role: 'guest' }))];
}

/** A text of a hit and the name of its field. */
interface FieldText {
  field: string;
  text: string | null;
}

type Facts = Omit<SearchHit, 'field' | 'snippet' | 'marks'>;

/** The snippet comes from the first of the fields that have most of the words. */
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

/** The items whose names have all the words, the closest name first. */
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
