import type { JobDefinition } from '../../services/jobs.js';
import type { DeskPoller } from './desk-poller.js';
import type { UpdateRunner } from './machine-updates.runner.js';

/** The schedule of checks is the poller's own: asked for by hand, it checks every desk, due or not. */
export const workstationJobs = (poller: DeskPoller, updates: UpdateRunner): JobDefinition[] => [
  { name: 'desk-poll', run: ({ signal }) => poller.checkAll(signal) },
  { name: 'machine-updates', schedule: { everySeconds: 30 }, run: ({ signal }) => updates.runPass(signal) },
];
