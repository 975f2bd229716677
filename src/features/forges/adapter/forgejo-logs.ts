import { type openLine, unlessKeptBack } from './host-line.js';
import { readId, readList, readText, readThing } from './reading.js';

const MOST_RUNS = 50;

/**
 * A status names a run and a job as they are counted on pages; the log is found by other numbers, which the host tells where
 * it knows the question (Gitea since 1.24).
 */
export async function readForgejoLog(
  line: ReturnType<typeof openLine>,
  root: string,
  log: string | null,
  lines: number,
): Promise<string | undefined> {
  const [, sha, run, job] = /^([0-9a-f]+) (\d+) (\d+)$/.exec(log ?? '') ?? [];
  if (sha === undefined) return undefined;
  return unlessKeptBack(
    (async () => {
      const told = readThing(await line.read(`${root}/actions/runs`, { head_sha: sha, limit: MOST_RUNS }));
      const found = readList(told['workflow_runs'], MOST_RUNS).find((one) =>
        readText(one['html_url'], 2000).endsWith(`/actions/runs/${run}`),
      );
      if (!found) return '';
      const jobs = readThing(await line.read(`${root}/actions/runs/${readId(found['id'])}/jobs`));
      const wanted = readList(jobs['jobs'], 100)[Number(job)];
      return wanted ? line.readTail(`${root}/actions/jobs/${readId(wanted['id'])}/logs`, lines) : '';
    })(),
  );
}
