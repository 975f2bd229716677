import type { Issue } from '../../forges/forges.service.js';
import type { ConnectedHost } from '../imports.options.js';
import { createOrigins } from '../readers/lineage.js';
import { type Source, tidyRecord } from '../readers/record.js';
import type { FoundRow } from './reader.js';

/** One page of a host's issues as rows; the number of an issue is its row. */
export async function readHostPage(
  { forge }: ConnectedHost,
  source: Source,
  page: string | undefined,
): Promise<{ rows: FoundRow[]; next: string | undefined }> {
  const { issues, next } = await forge.listIssues({ state: 'all', ...(page !== undefined && { page }) });
  const origins = createOrigins(source);
  const rows: FoundRow[] = [];
  for (const issue of issues) {
    const record = tidyRecord({
      keys: [issue.url, String(issue.number)],
      url: issue.url,
      title: issue.title,
      body: issue.body,
      state: issue.open ? 'open' : 'closed',
      labels: issue.labels,
      assignee: issue.assignee,
      reporter: { name: issue.author, email: null },
      createdAt: issue.createdAt.toISOString(),
      comments: await readComments(forge, issue),
    });
    const row = issue.number;
    rows.push(
      typeof record === 'string' ? { row, reason: record } : { row, record, ...origins.of(row, record) },
    );
  }
  return { rows, next };
}

async function readComments(forge: ConnectedHost['forge'], { number, commentCount }: Issue) {
  if (commentCount === 0) return [];
  const comments = await forge.listComments(number);
  return comments.map(({ author, body, at }) => ({
    author: { name: author, email: null },
    at: at.toISOString(),
    body,
  }));
}
