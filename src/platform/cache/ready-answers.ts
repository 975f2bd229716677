import { LRUCache } from 'lru-cache';
import { soon } from '../../kernel/async.js';
import type { Clock } from '../../kernel/clock.js';
import type { Notifications } from '../events/notifications.js';
import { rememberRecent } from './cache.js';

export interface ReadyAnswer {
  /** A string, because Node sends it in one packet with the head. */
  body: string;
  packed?: Partial<Record<'br' | 'gzip', Buffer>>;
  contentType: string;
  /** Including the quotes. */
  etag: string;
  /** When the answer becomes outdated without any change. */
  until?: Date | undefined;
}

/** Answers that are the same for everyone in a workspace, kept until the data behind them changes. */
export interface ReadyAnswers {
  find(
    brandId: number,
    question: string,
    make: () => ReadyAnswer | Promise<ReadyAnswer>,
  ): ReadyAnswer | Promise<ReadyAnswer>;
  /** Returns undefined when the answer has to be rendered. */
  ready(brandId: number, question: string): ReadyAnswer | undefined;
  forget(brandId?: number): void;
}

export const noReadyAnswers: ReadyAnswers = {
  find: (_brandId, _question, make) => make(),
  ready: () => undefined,
  forget: () => {},
};

/** Notified by the triggers of the migration `ready_answers`. */
const SETTINGS_CHANNEL = 'guildhall_settings';
const MOST_WORKSPACES = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** Longer addresses are rarely repeated. */
const LONGEST_QUESTION = 500;
/** Allows for the answer and its much smaller compressed forms. */
const MOST_FORMS = 2;
/** Enough for about 10,000 desks. */
const LARGEST_ANSWER = 16 * 1024 * 1024;

/** Replaced whenever anything in the workspace changes. */
interface State {
  id: number;
}

/**
 * Keeps answers in memory per state of the workspace. A notification ends the state and its answers, and a
 * node that cannot receive notifications keeps none.
 */
export function createReadyAnswers(
  notifications: Pick<Notifications, 'subscribe' | 'onGap' | 'healthy'>,
  clock: Clock,
): ReadyAnswers {
  const states = rememberRecent<State>(MOST_WORKSPACES);
  const answers = new LRUCache<string, ReadyAnswer>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body }, question) => MOST_FORMS * Buffer.byteLength(body) + question.length + 200,
  });
  let made = 0;

  const forget = (brandId?: number) => {
    if (brandId === undefined) states.clear();
    else states.delete(String(brandId));
  };
  notifications.subscribe<{ brand_id: number | null }>(SETTINGS_CHANNEL, ({ brand_id }) =>
    forget(brand_id ?? undefined),
  );
  notifications.onGap(() => forget());

  const presentState = (workspace: string): State => {
    const known = states.get(workspace);
    if (known) return known;
    made += 1;
    const state = { id: made };
    states.set(workspace, state);
    return state;
  };

  const keyOf = ({ id }: State, question: string) => `${id} ${question}`;
  const isTrue = ({ until }: ReadyAnswer) => until === undefined || clock.now() < until;

  return {
    find(brandId, question, make) {
      if (!notifications.healthy || question.length > LONGEST_QUESTION) return make();
      const workspace = String(brandId);
      const state = presentState(workspace);
      const key = keyOf(state, question);
      const ready = answers.get(key);
      if (ready && isTrue(ready)) return ready;
      return soon(make(), (answer) => {
        // Kept only if the state did not change while the answer was rendered.
        if (
          states.get(workspace) === state &&
          isTrue(answer) &&
          Buffer.byteLength(answer.body) <= LARGEST_ANSWER
        )
          answers.set(key, answer);
        return answer;
      });
    },
    ready(brandId, question) {
      const state = notifications.healthy ? states.get(String(brandId)) : undefined;
      const ready = state && answers.get(keyOf(state, question));
      return ready && isTrue(ready) ? ready : undefined;
    },
    forget,
  };
}
