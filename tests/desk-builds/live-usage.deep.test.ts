import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { canIsolate } from './build-desk.js';
import { it } from './desk-test.js';
import type { FakeBuild } from './fake-service.js';

const isolation = canIsolate ? undefined : ('none' as const);
const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 500);

describe.concurrent('Desk during a build', () => {
  it('reports usage, and stops the build on request while keeping its work', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation });
    desk.setCoder(`
      trap 'exit 1' TERM
      echo mended > roof.txt
      echo '{"tokens_in": 100, "tokens_out": 7, "cost_usd": 0.25}' > "$GUILDHALL_USAGE"
      while :; do sleep 0.1; done`);
    desk.start();
    const build = service.queue(repository);
    await until(() => build.usages[0], 500);
    expect(build.usages[0]).toEqual({ tokens_in: 100, tokens_out: 7, cost_usd: 0.25 });
    service.stopBuild(build, 'Budget reached');
    await ended(build);
    expect(build.finish).toEqual({
      outcome: 'failed',
      reason: 'Budget reached',
      usage: { tokens_in: 100, tokens_out: 7, cost_usd: 0.25 },
    });
    expect(repository.git('show', `${build.branch}:roof.txt`)).toBe('mended');
    expect(service.faults).toEqual([]);
  });

  it('reports the time of the last progress, based on output and CPU time', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation });
    service.answerWithin(1_000);
    // Prints nothing and uses CPU time until a file appears.
    desk.setCoder('while [ ! -e end ]; do :; done');
    desk.start();
    const build = service.queue(repository);
    const moments = () =>
      service.calls.flatMap(({ step, body }) =>
        step === 'work'
          ? (body['running'] as (string | { build_id: string; progress_at: string })[]).flatMap((said) =>
              typeof said === 'object' && said.build_id === build.id ? said.progress_at : [],
            )
          : [],
      );
    const first = await until(() => moments()[0], 500);
    await until(() => moments().find((moment) => moment > first), 500);
    service.cancel(build);
    await ended(build);
    expect(build.finish).toEqual({ outcome: 'canceled' });
  });
});
