import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist, listStaleParts, mainModule } from './build-state.mjs';

if (listStaleParts().length > 0) {
  try {
    const { buildWhenStale } = await import('./build.mjs');
    await buildWhenStale();
  } catch (error) {
    // An installation without build tools starts its shipped build; any other build error stops the start.
    const toolsMissing =
      error.code === 'ERR_MODULE_NOT_FOUND' && error.message.startsWith('Cannot find package');
    if (!toolsMissing) {
      console.error(`The build failed: ${error.message}`);
      process.exit(1);
    }
    if (!existsSync(mainModule)) {
      console.error('There is no build, and the tools to make one are not installed: run `npm ci` first.');
      process.exit(1);
    }
    console.error(
      'The build is older than the sources, and the tools to renew it are not installed: starting it as it is.',
    );
  }
}

// Caches compiled code between starts. Node.js 20 lacks this API.
module.enableCompileCache?.(join(dist, '.compile-cache'));
process.argv[1] = mainModule;
await import(pathToFileURL(mainModule).href);
