/** The pass that looks at what builds brought, and goes on with those that wait for a reviewer. */
export const GATE_JOB = 'build-gate';
