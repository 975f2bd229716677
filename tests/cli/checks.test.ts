import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
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
  it("runs the repository's checks on committed files only", async () => {
    await setChecks({});
    writeFileSync(join(repository.folder, 'lamp.txt'), 'out\n');
    const { code, stdout, stderr } = await run(['--json', 'name,status,exit_code']);
    expect([code, JSON.parse(stdout)], stderr).toEqual([
      0,
      [{ name: 'of the file', status: 'passed', exit_code: 0 }],
    ]);
    repository.git('checkout', '--quiet', '.');
  });

  it("runs the project's checks, setup first and one at a time, and exits with 1 when one fails", async () => {
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
    expect(all.stderr).toMatch(/ready\ntrue\n.*oh no\n.*Checks did not pass: second/s);
    expect((await run(['--only', 'first'])).code).toBe(0);
    expect((await run(['--only', 'fifth'])).code).toBe(2);
  });

  it('skips all checks when setup fails, and exits with 0 when none is required', async () => {
    const checks = [{ name: 'only', command: 'false' }];
    await setChecks({ setup: { command: 'exit 9' }, checks });
    const failed = await run(['--json', 'status']);
    expect([failed.code, JSON.parse(failed.stdout)]).toEqual([1, [{ status: 'skipped' }]]);
    await setChecks({ required: false, checks });
    expect((await run()).code).toBe(0);
  });

  const long = (length: number) => 'x'.repeat(length);
  const check = (more: object = {}) => ({ name: 'tests', command: 'true', ...more });
  it.each<[string, object]>([
    ['an unknown field', { chekcs: [] }],
    ['checks that are not a list', { checks: 'npm test' }],
    ['a list of null', { checks: null }],
    ['21 checks', { checks: Array.from({ length: 21 }, (_, at) => check({ name: `${at}` })) }],
    ['a check that is a text', { checks: ['npm test'] }],
    ['a check without a command', { checks: [{ name: 'tests' }] }],
    ['an empty check', { checks: [{}] }],
    ['an unknown field of a check', { checks: [check({ minute: 5, run: 'x' })] }],
    ['a name that is a number', { checks: [check({ name: 5 })] }],
    ['a name of 61 characters', { checks: [check({ name: long(61) })] }],
    ['a name of two lines', { checks: [check({ name: 'a\nb' })] }],
    ['a duplicate name', { checks: [check(), check()] }],
    ['a command of 4,001 characters', { checks: [check({ command: long(4001) })] }],
    ['a blank command', { checks: [check({ command: ' \n' })] }],
    ['half a minute', { checks: [check({ minutes: 1.5 })] }],
    ['zero minutes', { checks: [check({ minutes: 0 })] }],
    ['121 minutes', { checks: [check({ minutes: 121 })] }],
    ['a setup that is a text', { setup: 'npm ci' }],
    ['a setup without a command', { setup: { minutes: 5 } }],
    ['a setup with a name', { setup: { command: 'npm ci', name: 'x' } }],
    ['a setup whose minutes are a text', { setup: { command: 'npm ci', minutes: '5' } }],
    ['a required that is not a boolean', { required: 'yes' }],
    ['faults in a check and in the setup', { setup: 'x', checks: [check({ minutes: 0 })] }],
  ])("rejects a file with %s with the service's message", async (_what, content) => {
    await setChecks({});
    const { statusCode, ...answer } = await cli.world.inject({
      method: 'PUT',
      url: `/api/v1/projects/${project}/checks`,
      payload: content,
      headers: cli.workspace.bearer,
    });
    expect(statusCode).toBe(422);
    const { detail } = answer.json() as { detail: string };
    repository.save({ '.guildhall/checks.yaml': stringify(content) });
    const { code, stderr } = await run();
    expect([code, stderr.split('\n')[0]]).toEqual([
      1,
      `guildhall: .guildhall/checks.yaml does not count: ${detail}`,
    ]);
  });

  it('rejects a file that the service would not read', async () => {
    await setChecks({});
    const refused = async (text: string) => {
      repository.save({ '.guildhall/checks.yaml': text });
      return (await run()).stderr.split('\n')[0];
    };
    const said = (why: string) => `guildhall: .guildhall/checks.yaml does not count: ${why}`;
    expect(await refused('setup: [')).toBe(said('it is not valid YAML'));
    expect(await refused('- setup')).toBe(said('it is not a mapping'));
    expect(await refused('['.repeat(5000))).toBe(
      said('it has more keys, list items, levels or escapes than are read'),
    );
    expect(await refused(`# ${long(131_072)}`)).toBe(said('it is no plain file of at most 131072 bytes'));
  });

  it('reports that there is nothing to run', async () => {
    await setChecks({});
    const empty = new ScratchRepository();
    empty.save({ 'guildhall.json': JSON.stringify({ project_id: project }) });
    const { code, stderr } = await cli.guildhall(['checks', 'run'], { cwd: empty.folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('This project has no checks')]);
    empty.dispose();
  });
});
