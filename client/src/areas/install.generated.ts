// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface GetInstallerArguments {
  /** The token of the desk. */
  pat: string;
  /** The desk, as its environment record has it. */
  env_id: string;
  /** Where the desk reaches this service. */
  url: string;
  /** The coding agent to install. */
  runtime?: 'claude_code' | 'codex' | 'custom';
}

export interface InstallMethods {
  /**
   * The installer, with its parameters inside.
   * What a desk's install command runs.
   */
  getInstaller(fields: GetInstallerArguments, options?: CallOptions): Promise<string>;

  /**
   * The sidecar bundle, as the installer's SHA-256 says.
   * What the installer puts on the machine.
   */
  getSidecarBundle(fields?: NoArguments, options?: CallOptions): Promise<string>;
}

export const install = {
  getInstaller: {
    method: 'GET',
    path: '/install/sidecar',
    query: ['pat', 'env_id', 'url', 'runtime'],
    answer: 'text',
  },
  getSidecarBundle: { method: 'GET', path: '/install/sidecar.mjs', answer: 'text' },
} as const satisfies Record<string, Operation>;
