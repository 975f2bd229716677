import type { Actor } from '../../../client/src/index.js';
import { Avatar } from './display.js';
import { FORMER_MEMBER } from './format.js';
import { AgentIcon } from './icons.js';

interface ActorProps {
  actor: Pick<Actor, 'name' | 'agent_id'> | null | undefined;
  nobody?: string;
}

/** The name of an actor; agents are marked to distinguish them from people. */
export function ActorName({ actor, nobody = FORMER_MEMBER }: ActorProps) {
  if (!actor?.agent_id) return <>{actor?.name ?? nobody}</>;
  return (
    <span className="actor-agent">
      <AgentMark />
      {actor.name}
    </span>
  );
}

/** An avatar next to a name; for agents the avatar is the mark. */
export function ActorAvatar({ actor, nobody = FORMER_MEMBER, size }: ActorProps & { size: number }) {
  if (!actor?.agent_id) return <Avatar name={actor?.name ?? nobody} size={size} />;
  return (
    <span className="avatar avatar-agent" style={{ width: size, height: size }} title={actor.name}>
      <AgentIcon size={Math.round(size * 0.66)} />
      <span className="off-screen">Agent</span>
    </span>
  );
}

export const AgentMark = () => (
  <span className="actor-mark" title="An agent, on behalf of a person">
    <AgentIcon size={14} />
    <span className="off-screen">Agent </span>
  </span>
);
