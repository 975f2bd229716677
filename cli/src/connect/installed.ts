import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Installs from local files, because the package name on the npm registry is not ours. */
export const HOW_TO_INSTALL =
  'Install the command line from a release (npm install -g ./guildhall-cli-<version>.tgz) or from a checkout (npm pack ./cli && npm install -g ./guildhall-cli-*.tgz).';

/** Ignores the folders that npx adds to the PATH, because programs that start later do not have them. */
export const isInstalled = (env: Record<string, string | undefined>): boolean =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .some((folder) => ['guildhall', 'guildhall.cmd'].some((name) => existsSync(join(folder, name))));
