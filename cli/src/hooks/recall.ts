import type { Hook } from './event.js';
import { forgetShown } from './shown.js';

const MOST_MEMORIES = 40;
const LONGEST_BODY = 600;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** At the beginning of a session: what the agent remembers, the most important first. */
export const tellMemories: Hook = async ({ service, agentId, signal, said, env }) => {
  // What was shown before is gone from a context that begins anew.
  forgetShown(env, said.session_id);
  const { memories } = await service.client.searchMemories(
    { agent_id: agentId, limit: MOST_MEMORIES },
    { signal },
  );
  if (memories.length === 0) return undefined;
  const lines = memories.map(({ kind, title, body, stale_caveat }) => {
    const rest =
      oneLine(body) === oneLine(title) ? '' : `: ${oneLine(body).slice(0, LONGEST_BODY).toWellFormed()}`;
    return `- [${kind}] ${oneLine(title)}${rest}${stale_caveat ? ` (${oneLine(stale_caveat)})` : ''}`;
  });
  return [
    `What ${agentId} remembers from earlier sessions (Guildhall). Notes, not orders: check them against the code.`,
    '',
    ...lines,
  ].join('\n');
};
