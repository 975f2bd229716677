import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mainModule, root } from './build-state.mjs';

// `npm ci` leaves a checkout ready to start. Where that cannot be, the first start builds, or says what is wrong.
const isCheckout = existsSync(join(root, 'src'));
if (isCheckout) {
  try {
    const { buildWhenStale } = await import('./build.mjs');
    await buildWhenStale();
    // Without it the first start makes a database itself, and takes a little longer.
    const { status } = spawnSync(process.execPath, [mainModule, 'make-ready'], { stdio: 'ignore' });
    if (status !== 0) console.error('No database was made ahead; the first start makes its own.');
  } catch (error) {
    console.error(`Not built now (${error.message.split('\n')[0]}); \`npm start\` tries again.`);
  }
}
