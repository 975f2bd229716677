import { type Static, Type } from 'typebox';
import {
  CHECK_COMMAND,
  CHECK_NAME,
  type ChecksDefinition,
  DEFAULT_MINUTES,
  MOST_CHECKS,
  MOST_MINUTES,
} from '../../../../packages/protocol/checks-file.js';
import { Closed, Named, Nullable } from '../../../platform/http/declaration/schemas.js';

const step = {
  command: Type.String({ ...CHECK_COMMAND, description: 'Run by `sh -c`.' }),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_MINUTES,
      default: DEFAULT_MINUTES,
      description: 'Its time limit.',
    }),
  ),
};

export const CheckSetup = Named('CheckSetup', Closed(step));

const CheckName = Type.String({ ...CHECK_NAME, description: 'Unique.' });

const Check = Named('ProjectCheck', Closed({ name: CheckName, ...step }));

/** What a card adds for its own builds. */
export const CardChecks = Type.Array(Check, { maxItems: 10 });

/** What a project says, and what its repository may say in `.guildhall/checks.yaml`. Answers have every field. */
export const ProjectChecks = Named(
  'ProjectChecks',
  Closed({
    checks: Type.Optional(
      Type.Array(Check, {
        maxItems: MOST_CHECKS,
        default: [],
        description: 'What has to hold of a build, in turn.',
      }),
    ),
    setup: Type.Optional(
      Nullable(CheckSetup, { description: 'Run in a checkout before the coder, and before the checks.' }),
    ),
    required: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether a failed check holds the build.' }),
    ),
  }),
);
export type ProjectChecksInput = Static<typeof ProjectChecks>;

export type ProjectChecks = ChecksDefinition;
