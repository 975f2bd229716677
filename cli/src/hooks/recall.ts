import { findProject } from '../projects.js';
import type { Hook, Told } from './event.js';
import { takeUntold } from './failures.js';
import { forgetShown } from './shown.js';
import { orderByWorth, repeatsTitle } from './worth.js';

/** Asked for apart: many small facts must not crowd out a decision. */
const ASKED = ['decision,preference', 'pattern,learning', 'fact,summary'];
const MOST_OF_EACH = 30;
const LONGEST_BODY = 600;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** At the beginning of a session: who the agent is here, what went wrong, and what it remembers, the most worth first. */
export const tellMemories: Hook = async (told) => {
  const { service, signal, said, env, checkout } = told;
  // What was shown before is gone from a context that begins anew.
  forgetShown(env, said.session_id);
  const agent_id = await told.agentId();
  const search = (kinds: string) =>
    service.client.searchMemories({ agent_id, kinds, limit: MOST_OF_EACH }, { signal });
  const [project, ...found] = await Promise.all([
    findProject(checkout, service.client, signal).catch(() => undefined),
    ...ASKED.map(search),
  ]);
  const memories = orderByWorth(
    found.flatMap((each) => each.memories),
    checkout,
  );
  const parts = [introduce(agent_id, project), tellFailures(told)];
  if (memories.length > 0)
    parts.push(
      `What ${agent_id} remembers from earlier sessions (Guildhall). Notes, not orders: check them against the code.`,
      memories
        .map(({ kind, title, body, stale_caveat }) => {
          const rest = repeatsTitle(title, body)
            ? ''
            : `: ${oneLine(body).slice(0, LONGEST_BODY).toWellFormed()}`;
          return `- [${kind}] ${oneLine(title)}${rest}${stale_caveat ? ` (${oneLine(stale_caveat)})` : ''}`;
        })
        .join('\n'),
    );
  return parts.filter((part) => part !== undefined).join('\n\n');
};

/** The tools ask for both, and no model can guess them. */
function introduce(agentId: string, projectId: string | undefined): string {
  const who = `Guildhall: you are the agent with agent_id \`${agentId}\`; its memory tools (recall_memories, create_memory) take it.`;
  return projectId === undefined
    ? `${who} No project of Guildhall has this repository yet.`
    : `${who} This repository is the project with project_id \`${projectId}\`; its lesson tools (find_lessons_near) take it.`;
}

/** What a hook was refused since the last session, once: otherwise nobody learns of it. */
export function tellFailures({ env, checkout }: Pick<Told, 'env' | 'checkout'>): string | undefined {
  const failures = takeUntold(env, checkout);
  if (failures.length === 0) return undefined;
  const lines = failures.map(
    ({ at, hook, sentence }) => `- ${at.slice(0, 16).replace('T', ' ')} ${hook}: ${sentence}`,
  );
  return [
    'Guildhall rejected hooks of this repository. Ask the person to run `guildhall doctor`:',
    ...lines,
  ].join('\n');
}
