import type { Clock } from '../../../kernel/clock.js';
import { type Check, type Forge, ForgeFailed, type Opinions, type PullRequest } from '../adapter/forge.js';

/** A host's answer about one pull request. A part that the host does not give is undefined. */
export interface HostAnswer {
  askedAt: Date;
  pullRequest: PullRequest;
  checks: Check[] | undefined;
  opinions: Opinions | undefined;
  /** Null: there is none. */
  deployment: string | null | undefined;
}

export interface Asked {
  /** Undefined: the host knows no such pull request. */
  answer: HostAnswer | undefined;
  /** Why a part is missing; the other parts are valid. */
  failure: ForgeFailed | undefined;
}

/** Asks for everything that a card shows. The token may not be allowed to read all parts. */
export async function askHost({ forge }: { forge: Forge }, clock: Clock, number: number): Promise<Asked> {
  const askedAt = clock.now();
  let failure: ForgeFailed | undefined;
  const pullRequest = await forge.readPullRequest(number);
  if (!pullRequest) return { answer: undefined, failure };

  async function part<T>(ask: Promise<T>): Promise<T | undefined> {
    try {
      return await ask;
    } catch (error) {
      if (!(error instanceof ForgeFailed)) throw error;
      if (!failure || concernsWholeHost(error)) failure = error;
      return undefined;
    }
  }

  const { sha } = pullRequest.head;
  const [checks, opinions, deployment] = await Promise.all([
    part(forge.readChecks(sha)),
    part(forge.readReviews(number)),
    part(findDeployment(forge, sha)),
  ]);
  return { answer: { askedAt, pullRequest, checks, opinions, deployment }, failure };
}

/** Many tokens may not read deployments, and many hosts have none: that is no failure. */
const findDeployment = (forge: Forge, sha: string): Promise<string | null> =>
  forge.findDeployment(sha).then(
    (address) => address ?? null,
    (error: unknown) => {
      if (error instanceof ForgeFailed && !concernsWholeHost(error)) return null;
      throw error;
    },
  );

/** Any other request would fail too. */
export const concernsWholeHost = ({ fault }: ForgeFailed): boolean =>
  fault === 'unreachable' || fault === 'limited';
