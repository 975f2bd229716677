import { type Static, type TProperties, Type } from 'typebox';
import {
  Actor,
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';

const Count = Type.Integer({ minimum: 0 });
const UPDATE_STATUSES = ['queued', 'running', 'done', 'failed'] as const;

const updateRequest = {
  id: Uuid,
  machine_id: Uuid,
  machine_name: Type.String(),
  status: OneOf(UPDATE_STATUSES),
  requested_by: Actor,
  requested_at: Timestamp,
  wait_for_idle: Type.Boolean(),
  error: Nullable(Type.String()),
} satisfies TProperties;

export const UpdateRequest = Named('MachineUpdateRequest', Closed(updateRequest));
export type UpdateView = Static<typeof UpdateRequest>;

const UpdateRecord = Named(
  'MachineUpdate',
  Closed({
    ...updateRequest,
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
    from_version: Nullable(Type.String()),
    from_code_digest: Nullable(Type.String()),
    to_version: Nullable(Type.String()),
    to_code_digest: Nullable(Type.String()),
  }),
);
export type UpdateRecordView = Static<typeof UpdateRecord>;

export const UpdatesQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'Updates to return.' }),
  ),
});
export const UpdateList = Named(
  'MachineUpdateList',
  Closed({ updates: Type.Array(UpdateRecord), total: Count }),
);

export const UpdatesOfAll = Named(
  'MachineUpdateRequests',
  Closed({
    requests: Type.Array(
      Closed({
        machine_id: Uuid,
        machine_name: Type.String(),
        status: OneOf(UPDATE_STATUSES),
        error: Nullable(Type.String()),
      }),
    ),
    queued: Count,
    failed: Count,
    requested_at: Timestamp,
  }),
);
export type UpdatesOfAllView = Static<typeof UpdatesOfAll>;
