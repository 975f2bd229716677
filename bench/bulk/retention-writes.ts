import { addInbox, type BulkWrite, makeFullBoard, runJob } from './ground.js';

const ADD_HIRES = `
  with profile as (
    insert into catalog_profiles (profile_id, name, created_at, updated_at) values (gen_random_uuid(), 'Reviewer', now(), now())
    returning profile_id
  )
  insert into hires (hire_id, brand_id, profile_id, status, employee_name, builder, template, agent_id, hired_by, created_at, built_at,
    last_period_end, effective_at)
  select gen_random_uuid(), $1, p.profile_id, 'canceled', 'Employee ' || n, false, '{}', 'bulk-' || $1::int || '-' || n, $2, now(), now(),
    now() - interval '1 hour', now() - interval '1 hour'
  from generate_series(1, $3::int) n cross join profile p`;

const ADD_MESSAGES = `
  with webhook as (
    insert into webhooks (webhook_id, brand_id, url, events, enabled, secret, created_at)
    values (gen_random_uuid(), $1, 'https://example.com/' || $2::int, '{task.created}', false, '', now()) returning webhook_id
  ), messages as (
    insert into webhook_messages (event_id, brand_id, type, body, created_at)
    select gen_random_uuid(), $1, 'task.created', '{}', now() - interval '100 days' from generate_series(1, $3::int) n
    returning event_id, created_at
  )
  insert into webhook_deliveries (delivery_id, webhook_id, event_id, status, created_at)
  select gen_random_uuid(), webhook_id, event_id, 'delivered', created_at from messages, webhook`;

const ADD_KEYS = `
  insert into idempotency_keys (brand_id, user_id, key, request_hash, answer, content_type, status, created_at)
  select $1, $2, 'bulk-' || n, md5(n::text), '{}', 'application/json', 201, now() - interval '3 days' from generate_series(1, $3::int) n`;

const ADD_SESSIONS = `
  insert into sessions (session_id, secret_hash, user_id, brand_id, created_at, expires_at)
  select gen_random_uuid(), md5($1::int || '-' || n), $2, $1, now() - interval '100 days', now() - interval '10 days' from generate_series(1, $3::int) n`;

const ADD_LEFTOVERS = `
  insert into leftover_files (file_key, due_at)
  select 'attachments/' || $1::int || '/bulk-' || $2::int || '-' || n, now() - interval '1 day' from generate_series(1, $3::int) n`;

/** Inserts expired rows, and runs the job that removes them. */
const sweeping =
  (job: string, fill: string): BulkWrite['prepare'] =>
  async (ground, rows) => {
    await ground.client.query(fill, [ground.world.brandId, ground.world.userId, rows]);
    return () => runJob(ground, job);
  };

/** The writes of jobs that remove expired records. */
export const retentionWrites: BulkWrite[] = [
  {
    name: 'hires ended',
    rows: 100,
    prepare: async (ground, rows) => sweeping('hire-reconcile', ADD_HIRES)(ground, rows),
  },
  {
    name: 'old inbox items swept',
    rows: 5000,
    async prepare(ground, rows) {
      const boardId = await makeFullBoard(ground, rows);
      await addInbox(ground, boardId, ground.world.userId, '100 days');
      return () => runJob(ground, 'inbox-sweep');
    },
  },
  { name: 'old messages to webhooks swept', rows: 5000, prepare: sweeping('webhook-sweep', ADD_MESSAGES) },
  { name: 'old idempotency keys swept', rows: 5000, prepare: sweeping('idempotency-sweep', ADD_KEYS) },
  { name: 'expired sessions swept', rows: 5000, prepare: sweeping('identity-sweep', ADD_SESSIONS) },
  {
    name: 'files of deleted attachments swept',
    rows: 500,
    prepare: sweeping('attachment-sweep', ADD_LEFTOVERS),
  },
];
