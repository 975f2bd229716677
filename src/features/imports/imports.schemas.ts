import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';
import { SOURCES } from './readers/record.js';

export const LARGEST_EXPORT = 50 * 1024 * 1024;
export const IMPORT_STATUSES = ['reading', 'ready', 'running', 'done', 'failed'] as const;
export const ROW_STATUSES = ['new', 'known', 'unreadable', 'made'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
export type RowStatus = (typeof ROW_STATUSES)[number];

const Text = Type.String();
const Count = Type.Integer();

export const Import = Named(
  'Import',
  Closed({
    import_id: Uuid,
    board_id: Uuid,
    source: OneOf(SOURCES),
    name: Described('The file or the repository.', Text),
    status: OneOf(IMPORT_STATUSES),
    counts: Closed({ new: Count, known: Count, unreadable: Count, made: Count }),
    states: Type.Array(Closed({ name: Text, cards: Count, to: Nullable(Text) }), {
      description: 'Where cards of each state go: a column or a status; null: say it when you start.',
    }),
    people: Closed({
      matched: Type.Array(Closed({ name: Text, email: Text, user_id: Count })),
      unmatched: Type.Array(Text, {
        description: 'By their login, else their name: `users` says who they are.',
      }),
    }),
    lost: Type.Array(Closed({ what: Text, cards: Count }), {
      description: 'What does not come along, and of how many cards.',
    }),
    error: Nullable(Text),
    created_at: Timestamp,
    finished_at: Nullable(Timestamp),
  }),
);
export type Import = Static<typeof Import>;

export const ImportRowList = Named(
  'ImportRowList',
  Closed({
    rows: Type.Array(
      Closed({
        row: Count,
        status: OneOf(ROW_STATUSES),
        title: Nullable(Text),
        state: Nullable(Text),
        assignee: Nullable(Text),
        external_url: Nullable(Text),
        comments: Count,
        reason: Nullable(Text),
        task: Nullable(Uuid),
      }),
    ),
    next_cursor: Nullable(Text),
  }),
);
export type ImportRowList = Static<typeof ImportRowList>;

export const ImportQuery = Type.Object({
  source: OneOf(SOURCES, { default: 'csv', description: 'What wrote the file.' }),
});

export const HostImportInput = Named(
  'HostImportInput',
  Closed({ project_id: Described('The project whose host is asked.', Uuid) }),
);

export const StartInput = Named(
  'ImportStart',
  Closed({
    mapping: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ minLength: 1, maxLength: 100 }), {
        description: 'State to column or status.',
        maxProperties: 200,
      }),
    ),
    users: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 200 }),
        Type.String({ minLength: 1, maxLength: 320, description: 'The mail address.' }),
        { description: 'Login or name to the mail address of a person here.', maxProperties: 1000 },
      ),
    ),
  }),
);

export const RowQuery = Type.Object({
  status: Type.Optional(OneOf(ROW_STATUSES, { description: 'Only these.' })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'As the page before gave it.' })),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'How many.' }),
});
export type StartInput = Static<typeof StartInput>;
export type RowQuery = Static<typeof RowQuery>;
