import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { CheckSetup } from '../../projects/index.js';
import { BuildSettingsView, DESK_OUTCOMES } from '../builds.schemas.js';

/** One desk may represent many machines. */
const MOST_SLOTS = 1000;
const MOST_RUNNING = 1000;
const MOST_CODERS = 32;
const LONGEST_REASON = 20_000;
const LARGEST_RESULT = 1_048_576;
const LARGEST_COUNT = Number.MAX_SAFE_INTEGER;

export const WorkBody = Named(
  'DeskWorkInput',
  Closed({
    nonce: Type.String({
      pattern: '^[0-9a-fA-F]{32}$',
      rule: 'must be 32 hexadecimal digits',
      description: 'A new value for each call.',
    }),
    slots: Type.Integer({
      minimum: 0,
      maximum: MOST_SLOTS,
      description: 'How many builds it can take on now.',
    }),
    coders: Type.Optional(
      Type.Array(
        Type.Union([
          Type.String({ maxLength: 64 }),
          Closed({
            name: Type.String({ maxLength: 64, description: 'The coder.' }),
            version: Described('Its version; null when unknown.', Nullable(Type.String({ maxLength: 100 }))),
          }),
        ]),
        {
          maxItems: MOST_CODERS,
          description: 'The coders it can run. Default: the built-in coders of its runtime.',
        },
      ),
    ),
    wrapped: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: MOST_CODERS,
        description: 'Of these, those without their own program.',
      }),
    ),
    missing: Type.Optional(
      Type.Array(
        Closed({
          coder: Type.String({ maxLength: 64, description: 'The coder.' }),
          reason: Type.String({ maxLength: 1000, description: 'Why not.' }),
        }),
        { maxItems: MOST_CODERS, description: 'The coders that it cannot run.' },
      ),
    ),
    running: Type.Optional(
      Type.Array(
        Type.Union([
          Uuid,
          Closed({
            build_id: Described('The build.', Uuid),
            progress_at: Type.Optional(
              Described('When it last printed something or used CPU time.', Timestamp),
            ),
            progress_percent: Type.Optional(
              Type.Integer({ minimum: 0, maximum: 100, description: 'How much of its plan is done.' }),
            ),
          }),
        ]),
        {
          maxItems: MOST_RUNNING,
          description: 'The builds that run on the desk.',
        },
      ),
    ),
    answered: Type.Optional(
      Type.Array(Uuid, {
        maxItems: MOST_RUNNING,
        description: 'The questions whose answers it has.',
      }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 50,
        default: 50,
        description: 'How long to wait when there is nothing to do.',
      }),
    ),
  }),
);
export type WorkBody = Static<typeof WorkBody>;

/** The exact text that the proof covers. */
export interface WorkAnswer {
  text: string;
  proof: string;
}

export type Order =
  | { kind: 'start' | 'check'; build_id: string; claim: string }
  | { kind: 'cancel'; build_id: string }
  | { kind: 'stop'; build_id: string; reason: string }
  | {
      kind: 'answer';
      build_id: string;
      question_id: string;
      choice?: string;
      text?: string;
      expired?: true;
    };

export const WorkOrders = Named(
  'DeskWork',
  Closed({
    orders: Type.Array(
      Type.Union([
        Closed({ kind: OneOf(['start', 'check']), build_id: Uuid, claim: Type.String() }),
        Closed({ kind: Type.Literal('cancel'), build_id: Uuid }),
        Closed({ kind: Type.Literal('stop'), build_id: Uuid, reason: Type.String() }),
        Closed({
          kind: Type.Literal('answer'),
          build_id: Uuid,
          question_id: Uuid,
          choice: Type.Optional(Type.String()),
          text: Type.Optional(Type.String()),
          expired: Type.Optional(Type.Literal(true)),
        }),
      ]),
    ),
  }),
);

export const StartAnswer = Named(
  'StartedBuild',
  Closed({
    secret_names: Type.Optional(
      Type.Array(Type.String(), { description: 'Variables whose values must be masked everywhere.' }),
    ),
    setup_env: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Environment variables of the setup.' }),
    ),
    build_id: Uuid,
    coder: Type.String(),
    profile: Nullable(Type.String()),
    settings: Nullable(BuildSettingsView),
    wall_minutes: Type.Number(),
    kind: Type.Optional(Type.Literal('review')),
    branch: Type.String(),
    base_sha: Type.String(),
    brief: Type.String(),
    mcp: Closed({ url: Type.String(), token: Type.String() }),
    env: Type.Record(Type.String(), Type.String()),
    committer: Closed({ name: Type.String(), email: Type.String() }),
    project_id: Uuid,
    setup: Nullable(CheckSetup),
    /** False when the base is the commit of a coder. */
    trusted_base: Type.Boolean(),
    notes: Type.Optional(Type.Array(Type.String())),
    /** Whether commits may hold secrets that the coder was given. */
    allow_secrets: Type.Optional(Type.Boolean()),
  }),
);
export type StartAnswer = Static<typeof StartAnswer>;

export const LogReceived = Named('LogReceived', Closed({ next: Type.Integer({ minimum: 1 }) }));

const tokens = (description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: LARGEST_COUNT }), { description }));

export const FinishBody = Named(
  'FinishInput',
  Closed({
    outcome: OneOf(DESK_OUTCOMES, { description: 'How it ended.' }),
    reason: Type.Optional(
      Nullable(Type.String({ maxLength: LONGEST_REASON }), { description: 'Why, in a sentence.' }),
    ),
    result: Type.Optional(
      Nullable(Type.String({ maxLength: LARGEST_RESULT }), { description: "The coder's summary." }),
    ),
    usage: Type.Optional(
      Nullable(
        Closed({
          tokens_in: tokens('Tokens read.'),
          tokens_out: tokens('Tokens written.'),
          cost_usd: Type.Optional(
            Nullable(Type.Number({ minimum: 0, maximum: 1e9 }), { description: 'The cost in dollars.' }),
          ),
        }),
        { description: 'The usage that the coder reported.' },
      ),
    ),
    review: Type.Optional(
      Nullable(Type.Unknown(), { description: 'Of a review: its verdict and comments.' }),
    ),
    held_until: Type.Optional(Nullable(Timestamp, { description: "When the provider's limit ends." })),
    conversation: Type.Optional(
      Nullable(
        Type.Array(
          Closed({
            role: Type.String({ minLength: 1, maxLength: 32, description: 'The speaker.' }),
            content: Type.String({ maxLength: 1_000_000, description: 'The text.' }),
            at: Type.Optional(Nullable(Timestamp, { description: 'When.' })),
          }),
          { maxItems: 5000 },
        ),
        { description: 'For the memory of the assigned agent.' },
      ),
    ),
  }),
);
export type FinishBody = Static<typeof FinishBody>;

export const FinishAnswer = Named(
  'FinishedBuild',
  Closed({ build_id: Uuid, status: OneOf(['checking', ...DESK_OUTCOMES]) }),
);
export type FinishAnswer = Static<typeof FinishAnswer>;
