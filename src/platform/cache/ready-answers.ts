import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.js';
import type { ReadyAnswer, ReadyAnswers } from '../../kernel/ready-answers.js';
import { rememberRecent } from '../../kernel/recent.js';
import { soon } from '../../kernel/soon.js';
import type { Notifications } from '../events/notifications.js';

/** Sent by triggers, with the commit: see the migration `ready_answers`. */
const SETTINGS_CHANNEL = 'guildhall_settings';
const MOST_WORKSPACES = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** What is asked for in so many words is not asked for often. */
const LONGEST_QUESTION = 500;
/** Room for the answer as it is, and for its packed forms, which are far smaller. */
const MOST_FORMS = 2;
/** Ten thousand desks, say: the larger it is, the longer it would take to make. */
const LARGEST_ANSWER = 16 * 1024 * 1024;

/** What a workspace is at present: replaced by another one as soon as anything of it changes. */
interface State {
  id: number;
}

/**
 * In the node's memory, by the workspace's present state. News of a change ends that state, and with it everything that was made in
 * it or is being made; a node that cannot hear the news has nothing ready.
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
        // What was made of a state that has ended would never be found again.
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
