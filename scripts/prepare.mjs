import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mainModule, root } from './build-state.mjs';

// Builds after `npm ci`. If that fails, the first start builds or reports the problem.
const isCheckout = existsSync(join(root, 'src'));
if (isCheckout) {
  try {
    const { buildWhenStale } = await import('./build.mjs');
    await buildWhenStale();
    // If this fails, the first start creates the database itself and takes a little longer.
    const { status } = spawnSync(process.execPath, [mainModule, 'make-ready'], { stdio: 'ignore' });
    if (status !== 0) console.error('No database was made ahead; the first start makes its own.');
  } catch (error) {
    console.error(`Not built now (${error.message.split('\n')[0]}); \`npm start\` tries again.`);
  }
}
