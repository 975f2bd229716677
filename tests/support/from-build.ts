import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import { ensureBuilt, root } from './build.js';

const sources = join(root, 'src') + sep;
const built = join(root, 'dist/modules/src') + sep;
let building: Promise<void> | undefined;

/**
 * Makes tests load the program as modules that are built once, because transforming each module for every
 * test worker takes longer than most files run. `*.test-support.ts` files are not built. Watch mode (`npx
 * vitest`) loads the sources.
 */
export function fromBuild(): Plugin {
  const watching = !process.argv.includes('run');
  return {
    name: 'guildhall:from-build',
    enforce: 'pre',
    async config() {
      if (watching) return;
      // Every test project calls this, but one build is enough.
      building ??= ensureBuilt('modules', 'sidecar');
      await building;
    },
    resolveId(source, importer) {
      if (watching || !importer || !source.startsWith('.') || !source.endsWith('.js')) return null;
      const path = resolve(dirname(importer), source);
      if (!path.startsWith(sources) || path.endsWith('.test-support.js')) return null;
      const file = built + path.slice(sources.length);
      return existsSync(file) ? file : null;
    },
  };
}
