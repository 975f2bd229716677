import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';
import { CheckSetup } from '../../projects/index.js';

export const LONGEST_SETUP_TAIL = 65_536;

export const SHOWN_TAIL = { lines: 40, characters: 4_000 };
export const BRIEF_TAIL = { lines: 200, characters: 32_000 };

export function endOf(text: string, { lines, characters }: typeof SHOWN_TAIL): string {
  const cut = text.trimEnd().slice(-characters).toWellFormed();
  return cut.split('\n').slice(-lines).join('\n');
}

export const CHECK_ENDS = ['passed', 'failed', 'timed_out', 'skipped'] as const;
export type CheckEnd = (typeof CHECK_ENDS)[number];

export const CHECK_STATUSES = ['pending', 'running', ...CHECK_ENDS] as const;

const LARGEST_CODE = 2_147_483_647;
const Code = Type.Integer({ minimum: -LARGEST_CODE, maximum: LARGEST_CODE });
const Seconds = Type.Number({ minimum: 0, maximum: 1e9 });

export const BuildCheck = Named(
  'BuildCheck',
  Closed({
    name: Type.String(),
    status: OneOf(CHECK_STATUSES),
    seconds: Nullable(Type.Number()),
    exit_code: Nullable(Type.Integer()),
    log_tail: Nullable(Type.String()),
  }),
);
export type BuildCheck = Static<typeof BuildCheck>;

/** The exit code is missing when the setup ran out of time. */
export const FailedSetup = Named(
  'BuildFailedSetup',
  Closed({
    exit_code: Nullable(Type.Integer()),
    seconds: Nullable(Type.Number()),
    log_tail: Nullable(Type.String()),
  }),
);
export type FailedSetup = Static<typeof FailedSetup>;

export const CheckStart = Named(
  'CheckRun',
  Closed({
    build_id: Uuid,
    head_sha: Type.String(),
    setup: Nullable(CheckSetup),
    checks: Type.Array(Closed({ name: Type.String(), command: Type.String(), minutes: Type.Integer() })),
    env: Type.Record(Type.String(), Type.String()),
    setup_env: Type.Record(Type.String(), Type.String()),
    secret_names: Type.Array(Type.String(), {
      description: 'Variables whose values must be masked everywhere.',
    }),
  }),
);
export type CheckStart = Static<typeof CheckStart>;

const told = {
  exit_code: Type.Optional(Nullable(Code, { description: 'Its exit code.' })),
  seconds: Type.Optional(Nullable(Seconds, { description: 'How long it took.' })),
};

export const CheckReport = Named(
  'CheckReport',
  Closed({ status: OneOf(['running', ...CHECK_ENDS], { description: 'The status.' }), ...told }),
);
export type CheckReport = Static<typeof CheckReport>;

export const CheckFinish = Named(
  'CheckFinish',
  Closed({
    checks: Type.Array(
      Closed({
        // A card's check may have got a longer name to avoid a clash.
        name: Type.String({ maxLength: 255, description: 'Its name.' }),
        status: OneOf(CHECK_ENDS, { description: 'How it ended.' }),
        ...told,
      }),
      { maxItems: 30, description: 'Every check of the run.' },
    ),
    setup: Type.Optional(
      Nullable(
        Closed({
          ...told,
          log_tail: Type.Optional(
            Nullable(Type.String({ maxLength: LONGEST_SETUP_TAIL }), { description: 'How its log ends.' }),
          ),
        }),
        { description: 'How the setup ended.' },
      ),
    ),
  }),
);
export type CheckFinish = Static<typeof CheckFinish>;

export const hasFailed = (setup: CheckFinish['setup']): setup is NonNullable<CheckFinish['setup']> =>
  setup != null && setup.exit_code !== 0;
