import { Type } from 'typebox';
import { RUNTIMES } from '../../../kernel/runtimes.js';
import { Described } from '../../../platform/http/declaration/schemas.js';

export const InstallerQuery = Type.Object({
  pat: Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: '^[\\x21-\\x7e]+$',
    rule: 'must be the token of a desk',
    description: 'The token of the desk.',
  }),
  env_id: Type.String({ format: 'uuid', description: 'The desk, as its environment record has it.' }),
  url: Type.String({ description: 'Where the desk reaches this service.' }),
  runtime: Type.Optional(
    Described(
      'The coding agent to install.',
      Type.Unsafe<(typeof RUNTIMES)[number]>(Type.String({ enum: [...RUNTIMES], default: 'claude_code' })),
    ),
  ),
});
