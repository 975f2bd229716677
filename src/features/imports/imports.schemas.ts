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
    name: Described('The name of the file or repository.', Text),
    status: OneOf(IMPORT_STATUSES),
    counts: Closed({ new: Count, known: Count, unreadable: Count, made: Count }),
    states: Type.Array(Closed({ name: Text, cards: Count, to: Nullable(Text) }), {
      description:
        'The states in the source. `to` is the column or status of their cards; where it is null, `mapping` must name one.',
    }),
    people: Closed({
      matched: Type.Array(Closed({ name: Text, email: Text, user_id: Count })),
      unmatched: Type.Array(Text, {
        description: 'Logins, or names, without a matching person. Map them with `users`.',
      }),
    }),
    lost: Type.Array(Closed({ what: Text, cards: Count }), {
      description: 'Data that cannot be imported, with the number of cards.',
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
  source: OneOf(SOURCES, { default: 'csv', description: 'The program that exported the file.' }),
});

export const HostImportInput = Named(
  'HostImportInput',
  Closed({ project_id: Described('The project whose repository host has the issues.', Uuid) }),
);

export const StartInput = Named(
  'ImportStart',
  Closed({
    mapping: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ minLength: 1, maxLength: 100 }), {
        description: 'Maps states of the source to a column or status of the board.',
        maxProperties: 200,
      }),
    ),
    users: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 200 }),
        Type.String({ minLength: 1, maxLength: 320, description: 'The email address of a member.' }),
        {
          description:
            'Maps logins or names of the source to email addresses of people who can open the board.',
          maxProperties: 1000,
        },
      ),
    ),
  }),
);

export const RowQuery = Type.Object({
  status: Type.Optional(OneOf(ROW_STATUSES, { description: 'Return only rows with this status.' })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`next_cursor` of the previous page.' })),
  limit: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 100,
    description: 'Rows per page, 100 by default.',
  }),
});
export type StartInput = Static<typeof StartInput>;
export type RowQuery = Static<typeof RowQuery>;
