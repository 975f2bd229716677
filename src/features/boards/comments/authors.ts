import type { MemberCaller } from '../../../kernel/access.js';
import type { ActorNames } from '../../../kernel/actors.js';

interface Authored {
  author: ActorNames | null;
}

/** A person and an agent of theirs are two: neither puts words into the mouth of the other. */
export const isAuthor = ({ userId, agent }: MemberCaller, { author }: Authored): boolean =>
  author?.user_id === userId && author.agent_id === (agent?.agentId ?? null);

/** What an agent said, its person may take back. */
export const answersFor = (caller: MemberCaller, thing: Authored): boolean =>
  isAuthor(caller, thing) || (caller.agent === null && thing.author?.user_id === caller.userId);
