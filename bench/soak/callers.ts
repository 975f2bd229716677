import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from './ledger.js';

export interface Caller {
  urls: () => string[];
  bearer: Record<string, string>;
  boardId: string;
  agentId: string;
  ledger: Ledger;
  random: () => number;
  isOver: () => boolean;
}

type Answer = { status: number; body: Record<string, unknown> } | undefined;

/** Temporary refusals: nothing was done, and the same request may be sent again. */
const passes = (status: number) => [408, 425, 429, 502, 503, 504].includes(status);

/**
 * Simulates an agent that creates, changes and comments on cards, learns and reads, one request at a time.
 */
export async function call(caller: Caller): Promise<void> {
  const { ledger, random, boardId, agentId } = caller;
  const mine: string[] = [];
  const some = () => mine[Math.floor(random() * mine.length)]!;

  const makeCard = async () => {
    const title = `Card ${randomUUID()}`;
    const card = await sendUntilAcknowledged(caller, `/api/v1/board/boards/${boardId}/tasks`, { title });
    if (!card) return;
    mine.push(String(card['id']));
    ledger.cards.set(String(card['id']), { title, comments: 0 });
  };
  const renameCard = async () => {
    const id = some();
    const entry = ledger.cards.get(id)!;
    const title = `Card ${randomUUID()}`;
    // Recorded before sending: if no answer arrives, the change may still have been applied.
    ledger.cards.set(id, { ...entry, perhaps: title });
    const answer = await send(caller, 'PATCH', `/api/v1/board/tasks/${id}`, { title });
    if (answer && answer.status === 200) ledger.cards.set(id, { title, comments: entry.comments });
    // Waits until the state is known, because the next change would hide whether this one was applied.
    else await settle(caller, id);
  };
  const comment = async () => {
    const id = some();
    const made = await sendUntilAcknowledged(caller, `/api/v1/board/tasks/${id}/comments`, {
      body: `Seen ${randomUUID()}`,
    });
    if (made) ledger.cards.get(id)!.comments += 1;
  };
  const learn = async () => {
    const title = `Learned ${randomUUID()}`;
    const memory = { agent_id: agentId, kind: 'fact', title, body: 'It holds.' };
    if (await sendUntilAcknowledged(caller, '/api/v1/memory/memories', memory)) ledger.memories.add(title);
  };
  const read = async () => {
    const pages = [
      `/api/v1/board/boards/${boardId}/tasks?detail=summary&per_page=50`,
      `/api/v1/board/activity/boards/${boardId}`,
      '/api/v1/board/boards',
      `/api/v1/memory/memories?agent_id=${agentId}&limit=20`,
    ];
    await send(caller, 'GET', pages[Math.floor(random() * pages.length)]!);
  };

  while (!caller.isOver()) {
    const dice = random();
    if (mine.length === 0 || dice < 0.15) await makeCard();
    else if (dice < 0.35) await renameCard();
    else if (dice < 0.5) await comment();
    else if (dice < 0.6) await learn();
    else await read();
  }
}

/** Sends a creating request with one idempotency key until it is acknowledged, so that it is applied once. */
async function sendUntilAcknowledged(
  caller: Caller,
  path: string,
  body: object,
): Promise<Record<string, unknown> | undefined> {
  const key = randomUUID();
  for (;;) {
    const answer = await send(caller, 'POST', path, body, { 'idempotency-key': key });
    if (answer && answer.status < 300) {
      caller.ledger.acknowledged += 1;
      return answer.body;
    }
    // 409: the first request with the key is still running, possibly on a killed node.
    if (answer && !passes(answer.status) && answer.status !== 409) return undefined;
    await wait(100);
  }
}

/** Finds out whether a change without an answer was applied. */
async function settle(caller: Caller, id: string): Promise<void> {
  for (;;) {
    const answer = await send(caller, 'GET', `/api/v1/board/tasks/${id}`);
    const entry = caller.ledger.cards.get(id)!;
    if (answer?.status === 200) {
      const title = String(answer.body['title']);
      // A killed node's last statement may still reach the database, so both titles remain possible.
      if (title === entry.perhaps) caller.ledger.cards.set(id, { title, comments: entry.comments });
      return;
    }
    if (answer && !passes(answer.status)) return;
    await wait(100);
  }
}

async function send(
  { urls, bearer, ledger, random }: Caller,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const open = urls();
  if (open.length === 0) {
    await wait(100);
    return undefined;
  }
  try {
    const response = await fetch(open[Math.floor(random() * open.length)] + path, {
      method,
      headers: { ...bearer, ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
    if (passes(answer.status)) ledger.interrupted += 1;
    else if (answer.status >= 400 && answer.status !== 409)
      ledger.faults.push(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    else if (method === 'PATCH') ledger.acknowledged += 1;
    return answer;
  } catch {
    // The node is down, or the connection was cut.
    ledger.interrupted += 1;
    return undefined;
  }
}
