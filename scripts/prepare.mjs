import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build-state.mjs';

// `npm ci` leaves a checkout ready to start. Where that cannot be, the first start builds, or says what is wrong.
const isCheckout = existsSync(join(root, 'src'));
if (isCheckout) {
  try {
    const { buildWhenStale } = await import('./build.mjs');
    await buildWhenStale();
  } catch (error) {
    console.error(`Not built now (${error.message.split('\n')[0]}); \`npm start\` tries again.`);
  }
}
