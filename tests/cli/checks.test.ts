import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

let cli: CliWorld;
let project: string;
let repository: ScratchRepository;

beforeAll(async () => {
  cli = await startCliWorld();
  ({ project_id: project } = await cli.json<{ project_id: string }>([
    'projects',
    'create',
    'Lamp',
    '--repository',
    'https://git.example/lamp.git',
  ]));
  repository = new ScratchRepository();
  repository.save({
    'lamp.txt': 'lit\n',
    'guildhall.json': JSON.stringify({ project_id: project }),
    '.guildhall/checks.yaml': 'checks: [{name: of the file, command: grep -q lit lamp.txt}]\n',
  });
});
afterAll(async () => {
  repository?.dispose();
  await cli?.stop();
});

const run = (more: string[] = []) => cli.guildhall(['checks', 'run', ...more], { cwd: repository.folder });
const setChecks = (body: object) => cli.call('PUT', `/api/v1/projects/${project}/checks`, body);

describe('guildhall checks run', () => {
  it('runs what the repository says on what is committed, and not on what is not', async () => {
    await setChecks({});
    writeFileSync(join(repository.folder, 'lamp.txt'), 'out\n');
    const { code, stdout, stderr } = await run(['--json', 'name,status,exit_code']);
    expect([code, JSON.parse(stdout)], stderr).toEqual([
      0,
      [{ name: 'of the file', status: 'passed', exit_code: 0 }],
    ]);
    repository.git('checkout', '--quiet', '.');
  });

  it('runs the project’s own, setup first, each in turn, and ends with 1 when one failed', async () => {
    await setChecks({
      setup: { command: 'echo ready > made' },
      checks: [
        { name: 'first', command: 'cat made; echo "$GUILDHALL_TOKEN$CI"' },
        { name: 'second', command: 'echo oh no >&2; exit 3' },
        { name: 'third', command: 'true' },
      ],
    });
    const all = await run(['--json', 'name,status,exit_code']);
    expect([all.code, JSON.parse(all.stdout)]).toEqual([
      1,
      [
        { name: 'first', status: 'passed', exit_code: 0 },
        { name: 'second', status: 'failed', exit_code: 3 },
        { name: 'third', status: 'passed', exit_code: 0 },
      ],
    ]);
    expect(all.stderr).toMatch(/ready\ntrue\n.*oh no\n.*Not passed: second/s);
    expect((await run(['--only', 'first'])).code).toBe(0);
    expect((await run(['--only', 'fifth'])).code).toBe(2);
  });

  it('skips every check when setup fails, and ends with 0 where nothing is required', async () => {
    const checks = [{ name: 'only', command: 'false' }];
    await setChecks({ setup: { command: 'exit 9' }, checks });
    const failed = await run(['--json', 'status']);
    expect([failed.code, JSON.parse(failed.stdout)]).toEqual([1, [{ status: 'skipped' }]]);
    await setChecks({ required: false, checks });
    expect((await run()).code).toBe(0);
  });

  it('says so where there is nothing to run', async () => {
    await setChecks({});
    const empty = new ScratchRepository();
    empty.save({ 'guildhall.json': JSON.stringify({ project_id: project }) });
    const { code, stderr } = await cli.guildhall(['checks', 'run'], { cwd: empty.folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('This project has no checks')]);
    empty.dispose();
  });
});
