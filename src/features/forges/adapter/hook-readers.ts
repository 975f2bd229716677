import type { ForgeKind } from './forge.js';

/** The headers of a delivery, each once. */
export type HookHeaders = (name: string) => string | undefined;

/** What to ask the host about after a delivery; nothing else in a delivery is believed. */
export interface HookNews {
  pulls: number[];
  shas: string[];
  issues: boolean;
}

/** How one kind of host sends its webhooks. */
export interface HookReader {
  /** The secret itself, or a signature of the body made with it. */
  proof: 'token' | 'signature';
  /** The delivery's id, which is the same when it is sent again; the first of these headers that is there. */
  idHeaders: readonly string[];
  eventHeaders: readonly string[];
  /** What the body of an event names; events that are not listed are not needed. */
  events: readonly (readonly [event: RegExp, read: ReadEvent])[];
}

type ReadEvent = (body: BodyValue) => Named;

/** As it came, before it is judged. */
interface Named {
  pulls?: unknown[];
  shas?: unknown[];
  issues?: boolean;
}

/** A value of a body that may be missing at any place. */
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

/** A pull request may still be known by the head that it had before. */
const push = shas(['before'], ['after']);

/** Comments on issues are not needed; a comment on a pull request arrives as one on its issue. */
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

/** The full id of a deployment's commit is only in its address. */
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
    // Its other id is shared by all events of one request.
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
    // Older hosts only send the names of Gitea or GitHub.
    idHeaders: ['x-forgejo-delivery', 'x-gitea-delivery', 'x-github-delivery'],
    eventHeaders: ['x-forgejo-event', 'x-gitea-event', 'x-github-event'],
    // Most events have several names, such as `pull_request_approved`, with the same beginning.
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

/** The first of these headers that the delivery has. */
export const findHeader = (headers: HookHeaders, names: readonly string[]): string | undefined =>
  names.map(headers).find((value) => value !== undefined);

/** How to read the body of an event; undefined for an event that is not needed. The reader gives null for a body that names nothing. */
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
