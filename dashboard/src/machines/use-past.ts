import { type DeskPast, readPast } from '../api/machines.js';
import { type Resource, useResource } from '../api/resource.js';

const LIVE_POLL_MS = 2000;
const POLL_MS = 10_000;
const LONGEST_MS = 14 * 86_400_000;

/** One cached read for strip, list and installer log; polled more often during the installation. */
export const usePast = (deskId: string, live: boolean): Resource<DeskPast> =>
  useResource(`timeline:${deskId}`, (signal) => readPast(deskId, new Date(Date.now() - LONGEST_MS), signal), {
    pollMs: live ? LIVE_POLL_MS : POLL_MS,
  });
