import { test, vi } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type BuildDesk, createBuildDesk, type DeskOptions } from './build-desk.js';
import { type FakeService, startFakeService } from './fake-service.js';

interface Site {
  service: FakeService;
  repository: ScratchRepository;
  /** Makes a desk of that service; it goes with the test. */
  makeDesk(options?: DeskOptions): Promise<BuildDesk>;
}

// Side by side each takes longer than alone; what hangs is still found out.
vi.setConfig({ testTimeout: 600_000 });

/** A test with a service, a repository and desks of its own: builds mostly wait, so the tests of a file run side by side. */
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
