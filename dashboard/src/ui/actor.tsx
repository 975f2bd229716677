import type { Actor } from '../../../client/src/index.js';
import { Avatar } from './display.js';
import { AgentIcon } from './icons.js';

type Shown = Pick<Actor, 'name' | 'agent_id'>;

interface ActorProps {
  actor: Shown | null | undefined;
  /** Stands where nobody is known. */
  nobody?: string;
}

/** Who did something; an agent is marked, so that nobody takes it for its person. */
export function ActorName({ actor, nobody = 'Somebody' }: ActorProps) {
  if (!actor?.agent_id) return <>{actor?.name ?? nobody}</>;
  return (
    <span className="agent-name">
      <AgentMark />
      {actor.name}
    </span>
  );
}

export function ActorAvatar({ actor, nobody = 'Somebody', size }: ActorProps & { size: number }) {
  const name = actor?.name ?? nobody;
  if (!actor?.agent_id) return <Avatar name={name} size={size} />;
  return (
    <span className="avatar avatar-agent" style={{ width: size, height: size }} title={name}>
      <AgentIcon size={Math.round(size * 0.66)} />
    </span>
  );
}

export const AgentMark = () => (
  <span className="agent-mark" title="An agent, on behalf of a person">
    <AgentIcon size={13} />
    <span className="off-screen">Agent </span>
  </span>
);
