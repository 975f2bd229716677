import { describe, expect, it } from 'vitest';
import { actorOf, showActor, withoutName } from './actors.js';

const ada = { userId: 7, fullName: 'Ada Lovelace', agent: null };

describe('an actor', () => {
  it('is called by the name of the person', () => {
    const shown = { user_id: 7, name: 'Ada Lovelace', agent_id: null };
    expect(actorOf(ada)).toEqual(shown);
    expect(showActor({ user_id: 7, person: 'Ada Lovelace', agent_id: null, agent: null })).toEqual(shown);
    expect(showActor(null)).toBeNull();
  });

  it('that is an agent is called by its name, for the person', () => {
    const shown = { user_id: 7, name: 'The shop (for Ada Lovelace)', agent_id: 'claude-shop' };
    expect(actorOf({ ...ada, agent: { agentId: 'claude-shop', name: 'The shop' } })).toEqual(shown);
    const found = { user_id: 7, person: 'Ada Lovelace', agent_id: 'claude-shop', agent: 'The shop' };
    expect(showActor(found)).toEqual(shown);
    expect(showActor({ ...found, agent: null }).name).toBe('claude-shop (for Ada Lovelace)');
  });

  it('stays an agent where its person is forgotten in what is kept as it was told', () => {
    const told = {
      entry: { actor: { user_id: 7, name: 'The shop (for Ada Lovelace)', agent_id: 'claude-shop' } },
    };
    expect(withoutName(told, 7)).toEqual({
      entry: { actor: { user_id: 7, name: 'claude-shop (for Former member)', agent_id: 'claude-shop' } },
    });
    const person = { actor: { user_id: 7, name: 'Ada Lovelace', agent_id: null } };
    expect(withoutName(person, 7)).toEqual({
      actor: { user_id: 7, name: 'Former member', agent_id: null },
    });
    expect(withoutName(told, 8)).toEqual(told);
  });
});
