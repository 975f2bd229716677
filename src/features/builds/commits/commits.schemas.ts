import { type Static, Type } from 'typebox';
import { error } from '../../../platform/http/declaration/route.js';
import { Closed, Named, Nullable, OneOf } from '../../../platform/http/declaration/schemas.js';

export const BUNDLE = 'application/x-git-bundle';
export const bundleBody = {
  contentType: BUNDLE,
  maxBytes: 64 * 1024 * 1024,
  description: 'A git bundle, up to 64 MiB.',
};
export const bundleRefusals = [
  error(422, 'Not a bundle, another branch or base, extra refs, or objects that are not allowed'),
  error(502, 'The repository is not reachable'),
  error(504, 'No answer within 30 seconds'),
];
export const ReceivedCommits = Named('ReceivedCommits', Closed({ head_sha: Type.String() }));

export const DiffTooLarge = Closed({
  error: Type.Literal('diff_too_large'),
  message: Type.String(),
  actual_bytes: Type.Integer(),
  limit_bytes: Type.Integer(),
  retry_with: Nullable(Closed({ path: Type.String() })),
  paths: Type.Array(Type.String(), { description: 'The files that changed, up to 1,000.' }),
});

export const DiffQuery = Type.Object({
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Only changes in this file or folder, such as `src/billing.ts`.',
    }),
  ),
  from: Type.Optional(
    OneOf(['base', 'previous'], {
      default: 'base',
      description: '`base`: from where the first attempt started. `previous`: from the attempt before.',
    }),
  ),
});

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
  from: LineNumber('The first line. Default 1.'),
  to: LineNumber('The last line. At most 500 lines are returned.'),
});

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
