/** The one room that writes a table. Every other room asks its service, so that a rule which guards a table guards it for everyone. */
export const tableOwners: Record<string, readonly string[]> = {
  'features/identity': [
    'guest_access',
    'invitations',
    'memberships',
    'past_guests',
    'password_resets',
    'sessions',
    'tokens',
    'users',
  ],
  'features/workspaces': ['brands', 'docs_spaces', 'feature_choices', 'feed_sources', 'mail_names'],
  'features/boards': [
    'board_activity',
    'board_columns',
    'board_retired_keys',
    'boards',
    'card_blockers',
    'card_bodies',
    'card_comments',
    'card_tallies',
    'cards',
  ],
  'features/coder-profiles': ['coder_profile_changes', 'coder_profile_overrides'],
  'features/memory': [
    'agents',
    'memories',
    'memory_conversations',
    'memory_exports',
    'memory_removals',
    'memory_source_files',
    'memory_sources',
    'memory_unembedded',
    'memory_vectors',
  ],
  'features/projects': [
    'code_deploy_keys',
    'code_edges',
    'code_facts',
    'code_host_keys',
    'code_indexes',
    'code_nodes',
    'projects',
  ],
  'features/lessons': ['lesson_anchors', 'lesson_moves', 'lesson_vectors', 'lessons'],
  'features/workstations': ['desk_events', 'desk_poll_nodes', 'desks', 'machine_updates'],
  'features/hires': ['catalog_profiles', 'hire_packages', 'hires', 'installed_packages'],
  'features/operator': ['test_clock'],
  services: ['audit_log', 'idempotency_keys'],
  database: ['server_secrets'],
};

/** Files that hold SQL without being a store, and why that is right. */
export const sqlOutsideStores: { path: string; reason: string }[] = [
  { path: 'src/database/', reason: 'the room of the database itself' },
  { path: 'src/services/audit.ts', reason: 'its one statement is all there is to it' },
  { path: 'src/services/jobs.ts', reason: 'asks the queue for a pass, in the words of the queue' },
];
