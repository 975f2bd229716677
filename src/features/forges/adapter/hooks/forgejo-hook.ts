import { ofComment, ofPush } from './github-hook.js';
import type { HookReader, Loose, Named } from './hook-words.js';

const ofPullRequest = (body: Loose): Named => ({
  pulls: [body.at('pull_request', 'number').value ?? body.at('number').value],
});

const ofRun = (body: Loose): Named => ({
  shas: [
    body.at('run', 'commit_sha').value,
    body.at('workflow_run', 'head_sha').value,
    body.at('workflow_job', 'head_sha').value,
  ],
});

/** Most events have several names, such as `pull_request_approved`: what they begin with is enough. */
const EVENTS: [RegExp, (body: Loose) => Named][] = [
  [/^pull_request/, ofPullRequest],
  [/^issue_comment$/, ofComment],
  [/^issue/, () => ({ issues: true })],
  [/^(?:action_run|workflow_)/, ofRun],
  [/^status$/, (body) => ({ shas: [body.at('sha').value] })],
  [/^push$/, ofPush],
];

/** Gitea's names came first, and GitHub's before them: a host of either age sends some of them. */
export const forgejoHook: HookReader = {
  proof: 'signature',
  idOf: (headers) =>
    headers('x-forgejo-delivery') ?? headers('x-gitea-delivery') ?? headers('x-github-delivery'),
  eventOf: (headers) => headers('x-forgejo-event') ?? headers('x-gitea-event') ?? headers('x-github-event'),
  find: (event) => EVENTS.find(([name]) => name.test(event))?.[1],
};
