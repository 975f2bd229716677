import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** From files at hand: the name in the registry is not ours. */
export const HOW_TO_INSTALL =
  'Install the command line from a release (npm install -g ./guildhall-cli-<version>.tgz) or from a checkout (npm pack ./cli && npm install -g ./guildhall-cli-*.tgz).';

/** Whether programs that are started later find it; what npx adds to the path is there for this one call only. */
export const isInstalled = (env: Record<string, string | undefined>): boolean =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .some((folder) => ['guildhall', 'guildhall.cmd'].some((name) => existsSync(join(folder, name))));
