// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface GetInstallerArguments {
  /** Token of the desk. */
  pat: string;
  /** ID of the desk. */
  env_id: string;
  /** Address at which the desk reaches this service. */
  url: string;
  /** Coding agent of the desk. */
  runtime?: 'claude_code' | 'codex' | 'custom';
}

export interface InstallMethods {
  /**
   * Get the installer script.
   * The script that a desk's install command runs, with its parameters filled in.
   */
  getInstaller(fields: GetInstallerArguments, options?: CallOptions): Promise<string>;

  /**
   * Get the sidecar bundle.
   * The file that the installer puts on the machine, with the SHA-256 that the script expects.
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
