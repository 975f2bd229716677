import { type Check, type CheckState, ForgeFailed } from './forge.js';
import type { openLine } from './host-line.js';
import {
  readAddressOrNull,
  readId,
  readList,
  readName,
  readPart,
  readText,
  readTextOrNull,
  readThing,
  type Thing,
} from './reading.js';

const MOST_CHECKS = 200;
const FULL = { per_page: 100 };
/** Of one commit, newest first. */
const MOST_RUNS = 20;

/** What GitHub itself counts as done well; what was skipped is of no account. */
const CONCLUSIONS: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  neutral: 'passing',
  skipped: 'none',
  failure: 'failing',
  cancelled: 'failing',
  timed_out: 'failing',
  action_required: 'failing',
  startup_failure: 'failing',
  stale: 'pending',
};

const STATUSES: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  failure: 'failing',
  error: 'failing',
  pending: 'pending',
};

type Line = ReturnType<typeof openLine>;

/** Check runs and commit statuses: there are programs that tell by the one, and others that tell by the other. */
export async function readGithubChecks(line: Line, root: string, sha: string): Promise<Check[]> {
  const commit = `${root}/commits/${encodeURIComponent(sha)}`;
  const runs = await readRuns(line, commit).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    return readJobs(line, root, sha);
  });
  const combined = readThing(
    await line.read(`${commit}/status`, FULL).catch((error: unknown) => {
      throw isRefusal(error) ? mayNotRead('the statuses of commits') : error;
    }),
  );
  const statuses = readList(combined['statuses'], FULL.per_page);
  return [...runs, ...statuses.map(checkOfStatus)].slice(0, MOST_CHECKS);
}

const isRefusal = (error: unknown) => error instanceof ForgeFailed && error.fault === 'refused';

const mayNotRead = (what: string) => new ForgeFailed('refused', `The token may not read ${what}`);

async function readRuns(line: Line, commit: string): Promise<Check[]> {
  const listIn = (content: unknown) => readThing(content)['check_runs'];
  const rules = { size: FULL, pages: 2, listIn };
  return (await line.readPages(`${commit}/check-runs`, { filter: 'latest' }, rules)).map(checkOfRun);
}

/** Some kinds of tokens cannot be allowed to read checks, only what GitHub's own machines ran. */
async function readJobs(line: Line, root: string, sha: string): Promise<Check[]> {
  try {
    const told = readThing(await line.read(`${root}/actions/runs`, { head_sha: sha, per_page: MOST_RUNS }));
    const checks: Check[] = [];
    for (const { id } of readList(told['workflow_runs'], MOST_RUNS)) {
      const jobs = readThing(await line.read(`${root}/actions/runs/${readId(id)}/jobs`, FULL));
      checks.push(...readList(jobs['jobs'], FULL.per_page).map(checkOfJob));
    }
    return checks;
  } catch (error) {
    throw isRefusal(error) ? mayNotRead('checks') : error;
  }
}

const stateOf = ({ status, conclusion }: Thing): CheckState =>
  status === 'completed' ? (CONCLUSIONS[readText(conclusion)] ?? 'failing') : 'pending';

const checkOfJob = (job: Thing): Check => ({
  name: readName(job['name'], 'job'),
  state: stateOf(job),
  url: readAddressOrNull(job['html_url']),
  summary: null,
  log: readId(job['id']),
});

function checkOfRun(run: Thing): Check {
  const output = readPart(run['output']);
  const summary = [output['title'], output['summary'], output['text']]
    .map((part) => readText(part))
    .filter((part) => part !== '')
    .join('\n\n');
  // The runs of GitHub's own machines are jobs by the same number, and those alone have a log.
  const isJob = readPart(run['app'])['slug'] === 'github-actions';
  return {
    name: readName(run['name'], 'check'),
    state: stateOf(run),
    url: readAddressOrNull(run['details_url']) ?? readAddressOrNull(run['html_url']),
    summary: readTextOrNull(summary),
    log: isJob ? readId(run['id']) : null,
  };
}

const checkOfStatus = (status: Thing): Check => ({
  name: readName(status['context'], 'status'),
  state: STATUSES[readText(status['state'])] ?? 'pending',
  url: readAddressOrNull(status['target_url']),
  summary: readTextOrNull(status['description']),
  log: null,
});
