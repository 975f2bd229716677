import { type Static, Type } from 'typebox';
import { Closed, Named, OneOf } from '../../../platform/http/declaration/schemas.js';

const SIDES = ['new', 'old'] as const;
const LineNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description }));

export type FileQuery = Static<typeof FileQuery>;
export const FileQuery = Type.Object({
  path: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'The file, such as `src/billing.ts`.',
  }),
  side: Type.Optional(
    OneOf(SIDES, {
      default: 'new',
      description: '`new`: as the build left it. `old`: as it was in the base.',
    }),
  ),
  from: LineNumber('The first line, from 1.'),
  to: LineNumber('The last line; 500 are answered at most.'),
});

/** Lines are fewer than asked for where they would have more than 256 KiB: `from` goes on behind them. */
export type FileView = Static<typeof FileView>;
export const FileView = Named(
  'BuildFile',
  Closed({
    path: Type.String(),
    side: OneOf(SIDES),
    from: Type.Integer(),
    total: Type.Integer({ description: 'Lines of the whole file.' }),
    lines: Type.Array(Type.String()),
  }),
);
