import type { HookReader, Loose, Named } from './hook-words.js';

const ofPullRequest = (body: Loose): Named => ({ pulls: [body.at('pull_request', 'number').value] });

const ofRun =
  (name: string) =>
  (body: Loose): Named => ({
    shas: [body.at(name, 'head_sha').value],
    pulls: body
      .at(name, 'pull_requests')
      .each()
      .map((pull) => pull.at('number').value),
  });

const ofDeployment = (body: Loose): Named => ({ shas: [body.at('deployment', 'sha').value] });

/** A pull request is an issue too, and only then is anything said of interest. */
export const ofComment = (body: Loose): Named =>
  body.at('issue', 'pull_request').value || body.at('is_pull').value === true
    ? { pulls: [body.at('issue', 'number').value] }
    : {};

/** A pull request may be known by the head that it had before. */
export const ofPush = (body: Loose): Named => ({ shas: [body.at('before').value, body.at('after').value] });

const EVENTS: Record<string, (body: Loose) => Named> = {
  pull_request: ofPullRequest,
  pull_request_review: ofPullRequest,
  pull_request_review_comment: ofPullRequest,
  pull_request_review_thread: ofPullRequest,
  check_run: ofRun('check_run'),
  check_suite: ofRun('check_suite'),
  workflow_run: ofRun('workflow_run'),
  workflow_job: ofRun('workflow_job'),
  status: (body) => ({ shas: [body.at('sha').value] }),
  deployment: ofDeployment,
  deployment_status: ofDeployment,
  issues: () => ({ issues: true }),
  issue_comment: ofComment,
  push: ofPush,
};

export const githubHook: HookReader = {
  proof: 'signature',
  idOf: (headers) => headers('x-github-delivery'),
  eventOf: (headers) => headers('x-github-event'),
  find: (event) => (Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined),
};
