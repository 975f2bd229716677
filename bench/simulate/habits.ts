/** The assumptions of the simulation about a company's day. Change them and run it again. */

export type Action =
  | 'list cards'
  | 'read a card'
  | 'read the feed'
  | 'search memory'
  | 'make a card'
  | 'change a card'
  | 'comment'
  | 'learn';

export interface Habits {
  /** Their number, and how often each performs an action on a working day. */
  people: { count: number; actions: Record<Action, number> };
  agents: { count: number; actions: Record<Action, number> };
  builds: {
    /** Per agent and working day. */
    eachAgent: number;
    minutes: number;
    /** Log chunks, events and heartbeats that a build sends, each in one request. */
    requests: number;
    /** The log bytes of a build that are kept. */
    logBytes: number;
  };
  desks: { count: number; slots: number; checkSeconds: number };
  webhooksForEachChange: number;
  /** The share of usual work that is done on a Saturday or Sunday. */
  weekend: { people: number; agents: number };
}

export const company: Habits = {
  people: {
    count: 5000,
    actions: {
      'list cards': 60,
      'read a card': 40,
      'read the feed': 120,
      'search memory': 6,
      'make a card': 3,
      'change a card': 12,
      comment: 5,
      learn: 0.5,
    },
  },
  agents: {
    count: 50_000,
    actions: {
      'list cards': 20,
      'read a card': 20,
      'read the feed': 0,
      'search memory': 30,
      'make a card': 1,
      'change a card': 12,
      comment: 4,
      learn: 5,
    },
  },
  builds: { eachAgent: 2, minutes: 20, requests: 90, logBytes: 60_000 },
  desks: { count: 2500, slots: 4, checkSeconds: 30 },
  webhooksForEachChange: 0.2,
  weekend: { people: 0.05, agents: 0.4 },
};

/** People's work by hour (UTC) on three continents. Agents are started by people and continue after them. */
const OFFICE = [0, 0, 1, 2, 3, 3, 4, 6, 8, 9, 8, 7, 8, 10, 9, 8, 7, 5, 4, 3, 2, 1, 1, 1];
const AROUND_THE_CLOCK = 3;

const share = (curve: number[], hour: number) => curve[hour]! / curve.reduce((sum, part) => sum + part, 0);

export const shareOfDay = {
  people: (hour: number) => share(OFFICE, hour),
  agents: (hour: number) =>
    share(
      OFFICE.map((part) => part + AROUND_THE_CLOCK),
      hour,
    ),
};
