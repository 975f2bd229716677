import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../builds.schemas.js';
import {
  type EventName,
  findStep,
  LIFECYCLE,
  type Placed,
  requireStep,
  STATES,
  type State,
} from './states.js';

const EVENTS = [...new Set(Object.values(LIFECYCLE).flatMap((events) => Object.keys(events)))] as EventName[];
const isOutcome = (state: State) => OUTCOMES.some((outcome) => outcome === state);
const OPEN: readonly State[] = ['queued', 'claimed', 'running', 'waiting', 'checking', 'reviewing'];

const placeIn = (state: State): Placed => {
  const at = new Date();
  const finished_at = OPEN.includes(state) ? null : at;
  const facts = { finished_at, started_at: state === 'queued' || state === 'claimed' ? null : at };
  const none = { review_wanted_at: null, accepted_at: null, reworked_at: null };
  if (state === 'reviewing') return { ...facts, ...none, status: 'checking', review_wanted_at: at };
  if (state === 'accepted') return { ...facts, ...none, status: 'succeeded', accepted_at: at };
  if (state === 'sent_back') return { ...facts, ...none, status: 'succeeded', reworked_at: at };
  return { ...facts, ...none, status: state };
};

const statesFrom = (start: State): Set<State> => {
  const found = new Set<State>([start]);
  for (const state of found) for (const { to } of Object.values(LIFECYCLE[state])) found.add(to);
  return found;
};

describe('The state table of builds', () => {
  it('reaches every state from the queue, and an outcome from every open state', () => {
    expect([...statesFrom('queued')].sort()).toEqual([...STATES].sort());
    for (const state of OPEN) expect([...statesFrom(state)].some(isOutcome)).toBe(true);
  });

  it('keeps every sequence of events within the states, refuses other events and settles each end once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 60 }), (events) => {
        let state: State = 'queued';
        for (const event of events) {
          const step = findStep(state, event);
          if (!step) continue;
          expect(STATES).toContain(step.to);
          // Only a late report can reopen a build, and only a lost one.
          if (OPEN.includes(step.to) && !OPEN.includes(state)) expect(state).toBe('lost');
          const ends = isOutcome(step.to) && (step.to !== state || event === 'report_again');
          for (const effect of [
            'end_token',
            'end_log',
            'close_spending',
            'announce_outcome',
            'move_card',
          ] as const)
            if (ends) expect(step.effects).toContain(effect);
          expect(step.effects.includes('announce_outcome')).toBe(ends);
          state = step.to;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds the step for the facts of a build, and refuses an event that its state does not have', () => {
    for (const state of STATES)
      for (const event of EVENTS) {
        const step = findStep(state, event);
        if (step) expect(requireStep(placeIn(state), event)).toBe(step);
      }
    expect(() => requireStep(placeIn('succeeded'), 'start')).toThrow('succeeded');
    expect(() => requireStep(placeIn('queued'), 'report_success')).toThrow('queued');
    expect(() => requireStep(placeIn('accepted'), 'send_back')).toThrow('accepted');
  });

  it('applies clock events to the state that was stored last', () => {
    const overdue = { ...placeIn('running'), status: 'timed_out' as const };
    expect(requireStep(overdue, 'time_over').to).toBe('timed_out');
    expect(requireStep({ ...placeIn('claimed'), status: 'queued' }, 'claim_expired').to).toBe('queued');
    expect(() => requireStep(placeIn('lost'), 'desk_lost')).toThrow('lost');
  });
});
