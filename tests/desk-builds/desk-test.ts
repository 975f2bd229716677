import { test, vi } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type BuildDesk, createBuildDesk, type DeskOptions } from './build-desk.js';
import { type FakeService, startFakeService } from './fake-service.js';

interface Site {
  service: FakeService;
  repository: ScratchRepository;
  /** Creates a desk of the service, which is removed after the test. */
  makeDesk(options?: DeskOptions): Promise<BuildDesk>;
}

// Long, because concurrent tests take longer, and short enough to detect hanging ones.
vi.setConfig({ testTimeout: 600_000 });

/** A test with its own service, repository and desks. Builds mostly wait, so tests run concurrently. */
export const it = test.extend<Site>({
  service: async ({ task: _none }, use) => {
    const service = await startFakeService();
    await use(service);
    await service.stop();
  },
  repository: async ({ task: _none }, use) => {
    const repository = new ScratchRepository();
    repository.save({ 'roof.txt': 'a hole\n', 'docs/readme.md': '# House\n' });
    await use(repository);
    repository.dispose();
  },
  makeDesk: async ({ service }, use) => {
    const desks: BuildDesk[] = [];
    await use(async (options) => {
      const desk = await createBuildDesk(service, options);
      desks.push(desk);
      return desk;
    });
    for (const desk of desks) await desk.remove();
  },
});
