import { ofPush } from './github-hook.js';
import type { HookReader, Loose, Named } from './hook-words.js';

const ofIssue = (): Named => ({ issues: true });

const EVENTS: Record<string, (body: Loose) => Named> = {
  'Merge Request Hook': (body) => ({ pulls: [body.at('object_attributes', 'iid').value] }),
  'Pipeline Hook': (body) => ({
    shas: [body.at('object_attributes', 'sha').value],
    pulls: [body.at('merge_request', 'iid').value],
  }),
  'Job Hook': (body) => ({ shas: [body.at('sha').value, body.at('commit', 'sha').value] }),
  'Note Hook': (body) => ({ pulls: [body.at('merge_request', 'iid').value] }),
  'Issue Hook': ofIssue,
  'Confidential Issue Hook': ofIssue,
  'Work Item Hook': ofIssue,
  'Deployment Hook': (body) => ({ shas: [lastPart(body.at('commit_url').value)] }),
  'Push Hook': ofPush,
};

/** A deployment names its commit in full by its address alone. */
const lastPart = (address: unknown): unknown =>
  typeof address === 'string' ? address.slice(address.lastIndexOf('/') + 1) : undefined;

export const gitlabHook: HookReader = {
  proof: 'token',
  // Only the first is one delivery's own; events that came of one request share the other.
  idOf: (headers) => headers('idempotency-key'),
  eventOf: (headers) => headers('x-gitlab-event'),
  find: (event) => (Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined),
};
