import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { type BuildDesk, canIsolate, type DeskOptions } from '../desk-builds/build-desk.js';
import { it } from '../desk-builds/desk-test.js';
import type { FakeBuild, FakeService } from '../desk-builds/fake-service.js';
import { until } from '../desk-end-to-end/real-desk.js';

const isolation = canIsolate ? undefined : ('none' as const);
const agent = fileURLToPath(new URL('../support/scripted-acp-agent.mjs', import.meta.url));
const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 500);

/** A desk whose owner added one coder, which plays a script. */
async function makeDeskWith(
  script: object,
  makeDesk: (options?: DeskOptions) => Promise<BuildDesk>,
): Promise<BuildDesk> {
  const desk = await makeDesk({ isolation, runtime: 'custom' });
  copyFileSync(agent, desk.path('stubs/agent.mjs'));
  const program = `#!/bin/sh\n[ "$2" = --version ] && echo 'scripted 1.2.3' && exit\nexec ${process.execPath} ${desk.path('stubs/agent.mjs')} "$@"\n`;
  writeFileSync(desk.path('stubs/scripted'), program);
  for (const name of ['stubs', 'stubs/scripted', 'stubs/agent.mjs']) chmodSync(desk.path(name), 0o755);
  mkdirSync(desk.path('etc/guildhall/coders.d'));
  const file = {
    command: ['scripted', JSON.stringify(script)],
    env: { MY_API_KEY: 'a-key-that-nobody-may-read' },
    protocol: 'acp',
  };
  writeFileSync(desk.path('etc/guildhall/coders.d/my-coder.json'), JSON.stringify(file));
  return desk;
}

const asked = (service: FakeService, name: string) =>
  service.calls.flatMap(({ step, body }) => (step === 'work' ? [body[name]] : []));

describe.concurrent('Coder that is described in a file', () => {
  it('builds a card, reports its version and the progress of its plan, and has its key masked', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const entries = [
      { content: 'Look', priority: 'high', status: 'completed' },
      { content: 'Mend', priority: 'high', status: 'pending' },
    ];
    const desk = await makeDeskWith(
      {
        atPrompt: [
          { update: { sessionUpdate: 'plan', entries } },
          { say: 'My key is a-key-that-nobody-may-read.' },
          { write: ['roof.txt', 'mended\n'] },
          { pause: 2_500 },
          { say: ' Mended.' },
        ],
      },
      makeDesk,
    );
    service.answerWithin(500);
    desk.start();
    await until(() => JSON.stringify(asked(service, 'coders')).includes('1.2.3'), 500);
    expect(asked(service, 'coders').at(-1)).toContainEqual({ name: 'my-coder', version: '1.2.3' });
    const build = service.queue(repository, { coder: 'my-coder' });
    await ended(build);
    const log = build.parts.join('');
    expect(build.finish, log).toMatchObject({
      outcome: 'succeeded',
      result: 'My key is [secret]. Mended.',
    });
    expect(log).toContain('Plan:\n[x] Look\n[ ] Mend\nMy key is [secret]. Mended.\n');
    expect(repository.git('show', `${build.branch}:roof.txt`)).toBe('mended');
    expect(JSON.stringify(asked(service, 'running'))).toContain('"progress_percent":50');
    expect(service.faults).toEqual([]);
  });

  it.for([
    [[{ say: 'I looked.' }], 'Ended without a change'],
    [[], 'Ended without a change and without a word'],
  ] as const)(
    'fails when nothing changed: %j',
    async ([atPrompt, reason], { service, repository, makeDesk }) => {
      const desk = await makeDeskWith({ atPrompt }, makeDesk);
      desk.start();
      const build = service.queue(repository, { coder: 'my-coder' });
      await ended(build);
      expect(build.finish).toMatchObject({ outcome: 'failed', reason });
      expect(build.parts.join('')).toContain(`[${reason}]\n`);
    },
  );

  it('is left out of requests to a service that accepts only built-in coders', async ({
    service,
    repository,
    makeDesk,
  }) => {
    service.forgetVersions();
    const desk = await makeDeskWith({}, makeDesk);
    desk.setCoder('echo mended > roof.txt');
    desk.start();
    const build = service.queue(repository, { coder: 'openhands' });
    await ended(build);
    expect(build.finish).toEqual({ outcome: 'succeeded' });
    const last = asked(service, 'coders').at(-1) as string[];
    expect(last).toContain('openhands');
    expect(last).not.toContain('my-coder');
  });
});
