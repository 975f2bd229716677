import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';
import { CheckSetup } from '../../projects/index.js';
import { LONGEST_SETUP_TAIL } from './log-tail.js';

/** How a check can have ended. */
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

/** How the setup of the checks failed, with the end of its log; without an exit code it ran out of time. */
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
  }),
);
export type CheckStart = Static<typeof CheckStart>;

/** How a check stands, as its desk tells it. */
const told = {
  exit_code: Type.Optional(Nullable(Code, { description: 'Its exit code.' })),
  seconds: Type.Optional(Nullable(Seconds, { description: 'How long it took.' })),
};

export const CheckReport = Named(
  'CheckReport',
  Closed({ status: OneOf(['running', ...CHECK_ENDS], { description: 'How it stands.' }), ...told }),
);
export type CheckReport = Static<typeof CheckReport>;

export const CheckFinish = Named(
  'CheckFinish',
  Closed({
    checks: Type.Array(
      Closed({
        // A name of a card's check may have been made longer.
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
