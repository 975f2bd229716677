import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable } from '../../../http/declaration/schemas.js';

export const DEFAULT_MINUTES = 15;

const step = {
  command: Type.String({
    maxLength: 4000,
    pattern: '\\S',
    rule: 'must not be blank',
    description: 'Run by `sh -c`.',
  }),
  minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 120, default: DEFAULT_MINUTES, description: 'Its time limit.' }),
  ),
};

export const CheckSetup = Named('CheckSetup', Closed(step));

/** It stands in logs and addresses, so it is one line. */
const CheckName = Type.String({
  maxLength: 60,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
  rule: 'must be one line that is not blank',
  description: 'Unique.',
});

const Check = Named('ProjectCheck', Closed({ name: CheckName, ...step }));

/** What a card adds for its own builds. */
export const CardChecks = Type.Array(Check, { maxItems: 10 });

/** What a project says, and what its repository may say in `.guildhall/checks.yaml`. Answers have every field. */
export const ProjectChecks = Named(
  'ProjectChecks',
  Closed({
    checks: Type.Optional(
      Type.Array(Check, {
        maxItems: 20,
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

interface Step {
  command: string;
  minutes: number;
}

/** With everything that was left out. */
export interface ProjectChecks {
  checks: ({ name: string } & Step)[];
  setup: Step | null;
  required: boolean;
}
