import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import { ensureBuilt, root } from './build.js';

const sources = join(root, 'src') + sep;
const built = join(root, 'dist/modules/src') + sep;
let building: Promise<void> | undefined;

/**
 * Tests get the program as modules that are built once, and Node loads them: to transform each of them anew for every part
 * of the tests, and to hand it over, takes longer than most files last. What tests alone need (`*.test-support.ts`) is no
 * part of the program. Whoever watches (`npx vitest`) gets the sources, as they change.
 */
export function fromBuild(): Plugin {
  const watching = !process.argv.includes('run');
  return {
    name: 'guildhall:from-build',
    enforce: 'pre',
    async config() {
      if (watching) return;
      // Every part of the tests asks; the build is looked at once.
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
