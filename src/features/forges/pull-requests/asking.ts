import type { Clock } from '../../../kernel/clock.js';
import { type Check, type Forge, ForgeFailed, type Opinions, type PullRequest } from '../adapter/forge.js';

/** What a host said of one pull request, and when it was asked. A part that it does not give is undefined. */
export interface Answer {
  askedAt: Date;
  pullRequest: PullRequest;
  checks: Check[] | undefined;
  opinions: Opinions | undefined;
  /** Null: there is none. */
  deployment: string | null | undefined;
}

export interface Asked {
  /** Undefined: the host knows no such pull request. */
  answer: Answer | undefined;
  /** What went wrong on the way: what was told until then counts all the same. */
  failure: ForgeFailed | undefined;
}

/** Asks for everything that a card shows. A token may see less than that: the rest is told without it. */
export async function askAbout({ forge }: { forge: Forge }, clock: Clock, number: number): Promise<Asked> {
  const askedAt = clock.now();
  let failure: ForgeFailed | undefined;
  const pullRequest = await forge.readPullRequest(number);
  if (!pullRequest) return { answer: undefined, failure };

  async function part<T>(ask: Promise<T>): Promise<T | undefined> {
    try {
      return await ask;
    } catch (error) {
      if (!(error instanceof ForgeFailed)) throw error;
      if (!failure || endsQuestions(error)) failure = error;
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

/** Many tokens may not see deployments, and many hosts have none: that is no fault. */
const findDeployment = (forge: Forge, sha: string): Promise<string | null> =>
  forge.findDeployment(sha).then(
    (address) => address ?? null,
    (error: unknown) => {
      if (error instanceof ForgeFailed && !endsQuestions(error)) return null;
      throw error;
    },
  );

/** Another question would meet the same. */
export const endsQuestions = ({ fault }: ForgeFailed): boolean =>
  fault === 'unreachable' || fault === 'limited';
