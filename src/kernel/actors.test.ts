import { describe, expect, it } from 'vitest';
import { actorOf, showActor, withoutName } from './actors.js';

const ada = { userId: 7, fullName: 'Ada Lovelace', agent: null };

describe('Actor', () => {
  it('has the name of the person', () => {
    const shown = { user_id: 7, name: 'Ada Lovelace', agent_id: null };
    expect(actorOf(ada)).toEqual(shown);
    expect(showActor({ user_id: 7, person: 'Ada Lovelace', agent_id: null, agent: null })).toEqual(shown);
    expect(showActor(null)).toBeNull();
  });

  it('has the name of the agent followed by the person it acts for', () => {
    const shown = { user_id: 7, name: 'The shop (for Ada Lovelace)', agent_id: 'claude-shop' };
    expect(actorOf({ ...ada, agent: { agentId: 'claude-shop', name: 'The shop' } })).toEqual(shown);
    const found = { user_id: 7, person: 'Ada Lovelace', agent_id: 'claude-shop', agent: 'The shop' };
    expect(showActor(found)).toEqual(shown);
    expect(showActor({ ...found, agent: null }).name).toBe('claude-shop (for Ada Lovelace)');
  });

  it('keeps the agent when its person is erased from stored data', () => {
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
