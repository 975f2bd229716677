import { findProject } from '../projects.js';
import type { Hook, HookContext } from './event.js';
import { takeUnreported } from './failures.js';
import { forgetShown } from './shown.js';
import { orderByWorth, repeatsTitle } from './worth.js';

/** Requested separately, so that many small facts do not crowd out decisions. */
const ASKED = ['decision,preference', 'pattern,learning', 'fact,summary'];
const MOST_OF_EACH = 30;
const LONGEST_BODY = 600;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/**
 * At the start of a session, returns the agent's id, earlier errors and its memories, the most useful first.
 */
export const showMemories: Hook = async (context) => {
  const { service, signal, said, env, checkout } = context;
  // A new context no longer contains the lessons that were shown before.
  forgetShown(env, said.session_id);
  const agent_id = await context.agentId();
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
  const parts = [introduce(agent_id, project), describeFailures(context)];
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

/** The tools require both ids, and a model cannot guess them. */
function introduce(agentId: string, projectId: string | undefined): string {
  const who = `Guildhall: you are the agent with agent_id \`${agentId}\`; its memory tools (recall_memories, create_memory) take it.`;
  return projectId === undefined
    ? `${who} No project of Guildhall has this repository yet.`
    : `${who} This repository is the project with project_id \`${projectId}\`; its lesson tools (find_lessons_near) take it.`;
}

/** Reports each refusal of an earlier hook once, because hooks fail silently. */
export function describeFailures({
  env,
  checkout,
}: Pick<HookContext, 'env' | 'checkout'>): string | undefined {
  const failures = takeUnreported(env, checkout);
  if (failures.length === 0) return undefined;
  const lines = failures.map(
    ({ at, hook, sentence }) => `- ${at.slice(0, 16).replace('T', ' ')} ${hook}: ${sentence}`,
  );
  return [
    'Guildhall rejected hooks of this repository. Ask the person to run `guildhall doctor`:',
    ...lines,
  ].join('\n');
}
