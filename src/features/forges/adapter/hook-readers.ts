import type { ForgeKind } from './forge.js';

export type HookHeaders = (name: string) => string | undefined;

/** References to request from the host after a delivery; nothing else in a delivery is trusted. */
export interface HookNews {
  pulls: number[];
  shas: string[];
  issues: boolean;
}

export interface HookReader {
  /** The secret itself, or an HMAC of the body with it. */
  proof: 'token' | 'signature';
  /** Headers with the id of a delivery, which a redelivery repeats; the first one present counts. */
  idHeaders: readonly string[];
  eventHeaders: readonly string[];
  /** Events that are not listed are ignored. */
  events: readonly (readonly [event: RegExp, read: ReadEvent])[];
}

type ReadEvent = (body: BodyValue) => Named;

interface Named {
  pulls?: unknown[];
  shas?: unknown[];
  issues?: boolean;
}

interface BodyValue {
  at(...path: string[]): BodyValue;
  each(): BodyValue[];
  readonly value: unknown;
}

const MOST_NAMED = 100;
const LARGEST_NUMBER = 2_147_483_647;

const pull =
  (...path: string[]): ReadEvent =>
  (body) => ({ pulls: [body.at(...path).value] });

const shas =
  (...paths: string[][]): ReadEvent =>
  (body) => ({ shas: paths.map((path) => body.at(...path).value) });

const issues: ReadEvent = () => ({ issues: true });

const pullOrNumber: ReadEvent = (body) => ({
  pulls: [body.at('pull_request', 'number').value ?? body.at('number').value],
});

/** Includes the previous head, because a pull request may still be stored with it. */
const push = shas(['before'], ['after']);

/** Comments on issues are ignored; a comment on a pull request is sent as one on its issue. */
const issueComment: ReadEvent = (body) =>
  body.at('issue', 'pull_request').value || body.at('is_pull').value === true
    ? pull('issue', 'number')(body)
    : {};

const githubRun =
  (name: string): ReadEvent =>
  (body) => ({
    shas: [body.at(name, 'head_sha').value],
    pulls: body
      .at(name, 'pull_requests')
      .each()
      .map((each) => each.at('number').value),
  });

/** GitLab sends the full commit id of a deployment only in its address. */
const gitlabDeployment: ReadEvent = (body) => {
  const { value } = body.at('commit_url');
  return { shas: [typeof value === 'string' ? value.slice(value.lastIndexOf('/') + 1) : undefined] };
};

export const HOOK_READERS: Record<ForgeKind, HookReader> = {
  github: {
    proof: 'signature',
    idHeaders: ['x-github-delivery'],
    eventHeaders: ['x-github-event'],
    events: [
      [/^pull_request(?:_review(?:_comment|_thread)?)?$/, pull('pull_request', 'number')],
      [/^check_run$/, githubRun('check_run')],
      [/^check_suite$/, githubRun('check_suite')],
      [/^workflow_run$/, githubRun('workflow_run')],
      [/^workflow_job$/, githubRun('workflow_job')],
      [/^status$/, shas(['sha'])],
      [/^deployment(?:_status)?$/, shas(['deployment', 'sha'])],
      [/^issues$/, issues],
      [/^issue_comment$/, issueComment],
      [/^push$/, push],
    ],
  },
  gitlab: {
    proof: 'token',
    // GitLab's other id header is shared by all events of one request.
    idHeaders: ['idempotency-key'],
    eventHeaders: ['x-gitlab-event'],
    events: [
      [/^Merge Request Hook$/, pull('object_attributes', 'iid')],
      [
        /^Pipeline Hook$/,
        (body) => ({ ...shas(['object_attributes', 'sha'])(body), ...pull('merge_request', 'iid')(body) }),
      ],
      [/^Job Hook$/, shas(['sha'], ['commit', 'sha'])],
      [/^Note Hook$/, pull('merge_request', 'iid')],
      [/^(?:Confidential Issue|Issue|Work Item) Hook$/, issues],
      [/^Deployment Hook$/, gitlabDeployment],
      [/^Push Hook$/, push],
    ],
  },
  forgejo: {
    proof: 'signature',
    // Older hosts send only the names of Gitea or GitHub.
    idHeaders: ['x-forgejo-delivery', 'x-gitea-delivery', 'x-github-delivery'],
    eventHeaders: ['x-forgejo-event', 'x-gitea-event', 'x-github-event'],
    // Most events have several names with the same start, such as `pull_request_approved`.
    events: [
      [/^pull_request/, pullOrNumber],
      [/^issue_comment$/, issueComment],
      [/^issue/, issues],
      [
        /^(?:action_run|workflow_)/,
        shas(['run', 'commit_sha'], ['workflow_run', 'head_sha'], ['workflow_job', 'head_sha']),
      ],
      [/^status$/, shas(['sha'])],
      [/^push$/, push],
    ],
  },
};

export const findHeader = (headers: HookHeaders, names: readonly string[]): string | undefined =>
  names.map(headers).find((value) => value !== undefined);

/** Undefined for an ignored event. The reader returns null for a body without usable values. */
export function findEvent(
  reader: HookReader,
  event: string,
): ((body: unknown) => HookNews | null) | undefined {
  const read = reader.events.find(([name]) => name.test(event))?.[1];
  return read && ((body) => readNews(read(bodyValue(body))));
}

function bodyValue(value: unknown): BodyValue {
  return {
    value,
    at: (...path) => bodyValue(path.reduce(readField, value)),
    each: () => (Array.isArray(value) ? value.slice(0, MOST_NAMED).map(bodyValue) : []),
  };
}

const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

function readNews({ pulls = [], shas = [], issues = false }: Named): HookNews | null {
  const news = {
    pulls: [...new Set(pulls.filter(isNumber))].slice(0, MOST_NAMED),
    shas: [...new Set(shas.filter(isSha).map((sha) => sha.toLowerCase()))].slice(0, MOST_NAMED),
    issues,
  };
  return news.pulls.length > 0 || news.shas.length > 0 || issues ? news : null;
}

const isNumber = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_NUMBER;

const isSha = (value: unknown): value is string =>
  typeof value === 'string' && /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value);
