import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `dist/src/features/system/dashboard` and `src/features/system/dashboard` are equally deep in their trees. */
const tree = fileURLToPath(new URL('../../../../', import.meta.url));

const CONTENT_TYPES = new Map(
  Object.entries({
    css: 'text/css; charset=utf-8',
    ico: 'image/x-icon',
    js: 'text/javascript; charset=utf-8',
    png: 'image/png',
    svg: 'image/svg+xml',
    txt: 'text/plain; charset=utf-8',
    woff2: 'font/woff2',
  }),
);

const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

export interface BuiltFile {
  bytes: Buffer;
  contentType: string;
  encoding: 'br' | undefined;
}

export interface DashboardFiles {
  findPage(): Promise<Buffer | undefined>;
  /** Compressed where the build left it so and the caller can read that. */
  findAsset(name: string, readsBrotli: boolean): Promise<BuiltFile | undefined>;
}

/** The built pages. They are read when they are asked for, so a build made while the service runs is served at once. */
export function dashboardFiles(folder = builtFolder()): DashboardFiles {
  return {
    findPage: () => readIfThere(join(folder, 'index.html')),
    async findAsset(name, readsBrotli) {
      const contentType = CONTENT_TYPES.get(name.slice(name.lastIndexOf('.') + 1));
      if (!contentType || !PLAIN_NAME.test(name)) return undefined;
      const path = join(folder, 'assets', name);
      const compressed = readsBrotli ? await readIfThere(`${path}.br`) : undefined;
      const bytes = compressed ?? (await readIfThere(path));
      return bytes && { bytes, contentType, encoding: compressed && 'br' };
    },
  };
}

/** A built service has the pages beside it; one that runs from its sources finds the last build of them. */
function builtFolder(): string {
  const fromSources = existsSync(join(tree, 'dashboard/vite.config.ts'));
  return join(tree, fromSources ? 'dist/dashboard' : 'dashboard');
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}
