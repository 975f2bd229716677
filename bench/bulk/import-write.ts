import { setTimeout as pause } from 'node:timers/promises';
import type { Ground } from './ground.js';

/** A tracker's search result, in which every tenth issue is the parent of the following nine. */
const writeExport = (count: number): string =>
  JSON.stringify({
    issues: Array.from({ length: count }, (_, at) => ({
      id: String(at),
      key: `BULK-${at}`,
      self: `https://tracker.example/rest/api/2/issue/${at}`,
      fields: {
        summary: `Issue number ${at}`,
        description: `What stands in number ${at}, and what is to be done about it.`,
        status: { name: 'To Do' },
        labels: [`area-${at % 20}`],
        ...(at % 10 > 0 && { parent: { key: `BULK-${at - (at % 10)}` } }),
        comment: {
          comments: [
            { author: { displayName: 'Ada' }, created: '2024-01-02T03:04:05.000+0000', body: `About ${at}.` },
          ],
        },
      },
    })),
  });

export function importCards({ world }: Ground, boardId: string, rows: number): () => Promise<void> {
  const text = writeExport(rows);
  return async () => {
    const form = new FormData();
    form.set('file', new File([text], 'export.json'));
    const answer = await fetch(`${world.url}/api/v1/board/boards/${boardId}/imports?source=jira`, {
      method: 'POST',
      headers: world.bearer,
      body: form,
    });
    if (!answer.ok) throw new Error(await answer.text());
    const { import_id: importId } = (await answer.json()) as { import_id: string };
    await world.call('POST', `/api/v1/board/imports/${importId}/start`, {});
    for (let status: unknown; status !== 'done'; ) {
      const found = await world.call('GET', `/api/v1/board/imports/${importId}`);
      status = found['status'];
      if (status === 'failed') throw new Error(String(found['error']));
      if (status !== 'done') await pause(20);
    }
  };
}
