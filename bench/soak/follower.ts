import { setTimeout as wait } from 'node:timers/promises';

interface Following {
  urls: () => string[];
  bearer: Record<string, string>;
  boardId: string;
  since: string;
  ended: AbortSignal;
}

/** Reads a board's events from one node after another until stopped, and records the entry of each. */
export async function follow(
  { urls, bearer, boardId, since, ended }: Following,
  seen: string[],
): Promise<void> {
  let last = since;
  for (let turn = 0; !ended.aborted; turn++) {
    const open = urls();
    try {
      const response = await fetch(
        `${open[turn % open.length]}/api/v1/board/activity/boards/${boardId}/stream`,
        { headers: { ...bearer, 'last-event-id': last }, signal: ended },
      );
      if (!response.ok || !response.body) throw new Error(`It answered ${response.status}`);
      for await (const { id, data } of eventsOf(response.body)) {
        last = id;
        seen.push(String((JSON.parse(data) as { id: unknown }).id));
      }
    } catch {
      // The connection was cut, or the run has finished.
    }
    if (!ended.aborted) await wait(100);
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id: string; data: string }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
      );
      const [id, data] = [fields.get('id'), fields.get('data')];
      if (id !== undefined && data !== undefined) yield { id, data };
    }
  }
}
