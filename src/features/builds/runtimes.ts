import { CODERS, type Coder } from '../../kernel/plans.js';

/** Which coders a desk can run, by its runtime. */
const CODERS_OF: Record<'claude_code' | 'codex' | 'custom', readonly Coder[]> = {
  claude_code: ['claude'],
  codex: ['codex'],
  custom: CODERS,
};

export const codersOf = (runtime: keyof typeof CODERS_OF): readonly Coder[] => CODERS_OF[runtime];
