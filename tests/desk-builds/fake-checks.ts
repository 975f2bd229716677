import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ScratchRepository } from '../support/scratch-repository.js';

export interface FakeCheckRun {
  id: string;
  claim: string;
  headSha: string;
  repository: ScratchRepository;
  setup: { command: string; minutes: number } | null;
  checks: { name: string; command: string; minutes: number }[];
  state: 'queued' | 'claimed' | 'running' | 'ended';
  starts: number;
  logs: Record<string, string[]>;
  /** The desk's reports for each check, in order. */
  said: string[];
  finish: { checks: Record<string, unknown>[]; setup?: Record<string, unknown> } | null;
  canceling: boolean;
}

export const newCheckRun = (
  repository: ScratchRepository,
  checks: FakeCheckRun['checks'],
  setup: FakeCheckRun['setup'] = null,
): FakeCheckRun => ({
  id: randomUUID(),
  claim: `claim-${randomUUID()}`,
  headSha: repository.git('rev-parse', 'main'),
  repository,
  setup,
  checks,
  state: 'queued',
  starts: 0,
  logs: {},
  said: [],
  finish: null,
  canceling: false,
});

/** Answers requests about checks as the contract specifies. */
export function answerChecks(
  run: FakeCheckRun,
  [first, second]: string[],
  { seq, body, faults }: { seq: number; body: Buffer; faults: string[] },
  response: ServerResponse,
) {
  const json = (status: number, answer: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  const conflict = (error: string, more: object = {}) =>
    json(409, { detail: { error, message: error, ...more } });
  if (run.state === 'ended' && first !== 'finish') return conflict('claim_lost');
  if (first === 'start' && second === undefined) {
    run.state = 'running';
    run.starts += 1;
    const { id: build_id, headSha: head_sha, setup, checks } = run;
    return json(200, { build_id, head_sha, setup, checks, env: { CI: 'true' } });
  }
  if (first === 'finish' && second === undefined) {
    const report = JSON.parse(body.toString()) as NonNullable<FakeCheckRun['finish']>;
    if (run.finish && JSON.stringify(run.finish) !== JSON.stringify(report)) faults.push('another finish');
    run.finish = report;
    run.state = 'ended';
    return json(200, {});
  }
  const name = decodeURIComponent(first ?? '');
  if (!run.checks.some((check) => check.name === name)) return json(404, { detail: 'Check not found' });
  if (second === 'log') {
    const parts = run.logs[name] ?? [];
    run.logs[name] = parts;
    if (seq > parts.length + 1) return conflict('gap', { expected: parts.length + 1 });
    if (seq === parts.length + 1) parts.push(body.toString());
    else if (parts[seq - 1] !== body.toString()) faults.push(`part ${seq} changed`);
    return json(200, { next: parts.length + 1 });
  }
  run.said.push(`${name} ${(JSON.parse(body.toString()) as { status: string }).status}`);
  return json(200, {});
}
