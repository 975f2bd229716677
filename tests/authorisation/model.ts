import type { GuestLevel, Scope } from '../../src/kernel/access.js';

/**
 * Permission rules written from the specification and the contract, independently of the declarations in the
 * routes: if the two disagree, one of them is wrong. To add a route, append its name to the line of routes
 * with the same rule.
 */

export type Kind = 'none' | 'pat' | 'session' | 'desk' | 'operator';

export interface Rule {
  /** Accepted credentials. Undefined means that the route is public. */
  takes?: readonly Kind[];
  scopes: readonly Scope[];
  beyondReading?: boolean;
  role: 'guest' | 'member' | 'admin';
  /** A session of platform staff is enough instead of the role. */
  orStaff?: boolean;
  /** Status for another workspace's object. Undefined if the route names none or hides whether it exists. */
  foreign?: 403 | 404;
  /** Platform staff can reach the objects of every workspace. */
  platform?: boolean;
  /** The level that a guest needs on this board. */
  level?: GuestLevel | 'no level';
  /** A guest needs access to this docs space. */
  space?: boolean;
  /** Only the author, who is the first admin, may do this. */
  author?: 'alone' | 'or an admin';
  /** The handler itself may answer 404, so a 404 also counts as reached. */
  findsNothing?: boolean;
}

const named = (rule: Rule, names: string): [string, Rule][] =>
  names.split(/\s+/).map((name) => [name, rule] as [string, Rule]);

const everybody: Rule = { scopes: [], role: 'guest' };
const operator: Rule = { ...everybody, takes: ['operator'] };
const desk: Rule = { ...everybody, takes: ['desk'] };
const people: Rule = { takes: ['pat', 'session'], scopes: [], role: 'member' };
const guests: Rule = { ...people, role: 'guest' };
const admins: Rule = { ...people, role: 'admin' };
const sessions: Rule = { ...people, takes: ['session'] };
const hirers: Rule = { ...people, takes: ['session', 'operator'] };

const withScope = (...scopes: Scope[]): Rule => ({ ...people, scopes });
const settings: Rule = { ...admins, scopes: ['brand:admin'] };
/** A board of another workspace gives 403, a card of another workspace 404. */
const onBoard = (level: GuestLevel): Rule => ({ ...guests, foreign: 403, level });
const onCard = (level: GuestLevel): Rule => ({ ...guests, foreign: 404, level });

export const MODEL: ReadonlyMap<string, Rule> = new Map([
  // Public routes.
  ...named(everybody, 'get_health get_info get_openapi get_security_text get_security_policy'),
  ...named(everybody, 'show_entrance show_dashboard show_dashboard_area show_dashboard_record show_docs'),
  ...named(everybody, 'show_sign_in show_reset_password show_invitation get_installer get_sidecar_bundle'),
  ...named({ ...everybody, findsNothing: true }, 'get_dashboard_asset get_docs_asset'),
  ...named(everybody, 'sign_in reset_password accept_invitation request_password_reset'),
  ...named(everybody, 'answer_sign_in_challenge start_oidc_sign_in finish_oidc_sign_in get_invitation'),

  // Operator routes: only the admin key.
  ...named(operator, 'register_agent list_platform_audit create_workspace list_all_workspaces'),
  ...named(operator, 'list_all_users list_whole_catalog list_jobs list_part_states get_platform_overview'),
  ...named(operator, 'get_any_workspace change_any_workspace add_feed_source put_workspace_member'),
  ...named(operator, 'deactivate_workspace_member install_package issue_token create_catalog_employee'),
  ...named(operator, 'update_catalog_employee move_clock run_job revoke_any_token create_user get_metrics'),
  ...named(operator, 'erase_user remove_lost_mfa erase_workspace export_workspace'),
  ...named(operator, 'list_workspace_members list_workspace_tokens set_prices'),

  // Desk routes: only the desk's own token. People can also read the build settings.
  ...named(desk, 'report_desk_alive report_desk_hello join_desk_mesh report_desk_sidecar report_desk_step'),
  ...named({ ...people, takes: ['pat', 'session', 'desk'] }, 'get_build_settings'),

  // The caller's own credentials and sessions.
  ...named({ ...sessions, role: 'guest' }, 'sign_out get_session change_me begin_totp confirm_totp'),
  ...named({ ...sessions, role: 'guest' }, 'remove_totp list_my_sessions end_my_other_sessions'),
  ...named({ ...sessions, role: 'guest' }, 'export_my_data erase_my_account send_proof_code'),
  ...named({ ...sessions, role: 'guest', findsNothing: true }, 'end_my_session switch_workspace'),
  ...named(
    guests,
    'get_credential get_me list_my_inbox stream_my_inbox finish_my_inbox_items update_my_inbox_items',
  ),
  ...named(guests, 'list_my_views create_my_view'),
  ...named({ ...guests, findsNothing: true }, 'update_my_inbox_item update_my_view delete_my_view'),
  ...named(sessions, 'list_my_tokens create_my_token'),
  ...named({ ...sessions, findsNothing: true }, 'revoke_my_token'),
  ...named({ ...people, takes: ['pat'] }, 'call_mcp'),

  // Workspace settings.
  ...named(withScope('brand:read'), 'get_features list_members get_member get_workspace'),
  ...named(withScope('brand:read'), 'get_workspace_figures'),
  ...named({ ...withScope('brand:read'), findsNothing: true }, 'get_member_photo'),
  ...named(settings, 'set_feature update_member remove_member set_member_photo remove_member_photo'),
  ...named(settings, 'send_password_reset set_member_password list_guests list_invitations'),
  ...named({ ...settings, findsNothing: true }, 'remove_guest invite_guest_as_member revoke_invitation'),
  ...named(settings, 'get_deploy_key list_host_keys change_workspace invite_member list_workspace_audit'),
  ...named({ ...settings, findsNothing: true }, 'forget_host_key'),
  ...named({ ...people, findsNothing: true }, 'rename_mail_address check_mail_name get_mail_address'),

  // Boards: no scope. For guests their level on the board decides.
  ...named(guests, 'list_boards find_tasks update_tasks search_everything'),
  ...named(people, 'create_board'),
  ...named({ ...people, foreign: 403 }, 'update_board'),
  ...named({ ...admins, foreign: 403 }, 'delete_board list_board_guests put_board_guest invite_board_guest'),
  ...named({ ...admins, foreign: 403, findsNothing: true }, 'remove_board_guest'),
  ...named(onBoard('viewer'), 'get_board list_board_tasks list_board_activity stream_board_activity'),
  ...named(onBoard('viewer'), 'export_board'),
  ...named(onBoard('editor'), 'create_task'),
  ...named({ ...people, foreign: 403 }, 'create_import'),
  ...named({ ...people, foreign: 403, findsNothing: true }, 'create_host_import'),
  ...named({ ...people, foreign: 404 }, 'get_import list_import_rows start_import delete_import'),
  ...named(onCard('viewer'), 'get_task list_comments list_task_activity list_attachments get_attachment'),
  ...named(onCard('commenter'), 'add_comment add_attachment'),
  ...named(onCard('editor'), 'update_task'),
  // The specification lets editors create and change cards, but nowhere lets them delete any.
  ...named({ ...onCard('editor'), level: 'no level' }, 'delete_task'),
  ...named({ ...onCard('commenter'), author: 'alone' }, 'update_comment'),
  ...named({ ...onCard('commenter'), author: 'or an admin' }, 'delete_comment delete_attachment'),

  // Docs spaces.
  ...named(guests, 'list_docs_spaces'),
  ...named(people, 'create_docs_space'),
  ...named({ ...guests, foreign: 404, space: true }, 'get_docs_space'),
  ...named({ ...admins, foreign: 404 }, 'put_docs_space_guest invite_docs_space_guest'),
  ...named({ ...admins, foreign: 404, findsNothing: true }, 'remove_docs_space_guest'),

  // Coder profiles and machine updates.
  ...named(people, 'list_coder_profiles get_coder_profile list_coder_profile_history'),
  ...named({ ...admins, orStaff: true }, 'override_coder_profile reset_coder_profile_field'),
  ...named(admins, 'request_all_machine_updates'),
  ...named({ ...admins, foreign: 404 }, 'request_machine_update list_machine_updates lift_desk_hold'),

  // Workstations: sessions only.
  ...named(sessions, 'order_workstation list_workstations get_reauth_status'),
  ...named({ ...sessions, foreign: 404 }, 'get_workstation release_workstation regenerate_desk_token'),
  ...named({ ...sessions, foreign: 404 }, 'get_environment update_environment set_environment_image'),
  ...named({ ...sessions, foreign: 404 }, 'remove_environment_image list_desk_timeline'),
  ...named({ ...sessions, foreign: 404, findsNothing: true }, 'get_environment_image'),

  // Hires: a session or the admin key. A hire of another workspace gives 403, except to platform staff.
  ...named(hirers, 'list_employees list_hires hire_employee'),
  ...named({ ...hirers, findsNothing: true }, 'get_employee_portrait'),
  ...named({ ...hirers, foreign: 403, platform: true }, 'get_hire cancel_hire cancel_hire_now'),
  ...named({ ...people, foreign: 404 }, 'get_agent_grants'),

  // Memory.
  ...named(withScope('memory:read'), 'search_memories recall_memories get_memory_stats list_agents'),
  ...named(withScope('memory:read'), 'list_conversations list_sources list_memories get_memory_health'),
  ...named({ ...withScope('memory:read'), findsNothing: true }, 'get_memory_section'),
  ...named({ ...withScope('memory:read'), foreign: 404 }, 'get_memory get_source list_memory_history'),
  ...named({ ...withScope('memory:write'), foreign: 403 }, 'create_memory create_source push_conversation'),
  ...named(withScope('memory:write'), 'resolve_agent'),
  ...named({ ...withScope('memory:write'), foreign: 404 }, 'update_memory delete_memory unmerge_memory'),
  ...named({ ...withScope('memory:write'), foreign: 404 }, 'update_source delete_source retry_conversation'),

  // Builds: members, no scope. Only desks use the coder's routes.
  ...named({ ...people, foreign: 404 }, 'preview_brief get_build list_build_questions'),
  ...named(
    { ...people, beyondReading: true, foreign: 404 },
    'create_build cancel_build review_build retry_desk_logins',
  ),
  ...named({ ...people, foreign: 404 }, 'list_build_comments'),
  ...named({ ...people, beyondReading: true, foreign: 404 }, 'add_build_comment send_build_comments'),
  ...named(
    { ...people, beyondReading: true, foreign: 404, findsNothing: true },
    'update_build_comment delete_build_comment answer_build_question',
  ),
  ...named({ ...people, beyondReading: true, foreign: 404 }, 'hand_in_commits hand_in_build'),
  ...named({ ...people, foreign: 404 }, 'read_build_log stream_build_log'),
  ...named(
    { ...people, foreign: 404, findsNothing: true },
    'get_build_diff read_build_file get_build_brief get_build_impact read_build_check_log',
  ),
  ...named(people, 'list_builds list_coders get_build_policy get_spend list_prices'),
  ...named(admins, 'set_build_policy'),
  ...named({ ...people, foreign: 404 }, 'get_agent_budget'),
  ...named({ ...admins, foreign: 404 }, 'set_agent_budget'),
  ...named(
    desk,
    'ask_for_work start_build ask_build_question append_build_log finish_build report_build_usage get_build_base put_build_commits start_build_checks append_build_check_log report_build_check finish_build_checks',
  ),

  // Webhooks: admins.
  ...named(settings, 'create_webhook list_webhooks'),
  ...named({ ...settings, findsNothing: true }, 'get_webhook update_webhook delete_webhook'),
  ...named({ ...settings, findsNothing: true }, 'rotate_webhook_secret test_webhook'),
  ...named({ ...settings, findsNothing: true }, 'list_webhook_deliveries replay_webhook_delivery'),

  // Lessons and projects.
  ...named(withScope('memory:read'), 'list_lessons search_lessons find_similar_lessons'),
  ...named({ ...withScope('memory:read'), foreign: 404 }, 'lookup_anchors'),
  ...named({ ...withScope('memory:write'), foreign: 404 }, 'sync_lessons'),
  ...named(
    { ...withScope('memory:read', 'code:read'), foreign: 404 },
    'find_lessons_near get_lessons_impact get_code_graph list_code_children',
  ),
  ...named(people, 'create_project'),
  ...named(withScope('code:read'), 'list_projects'),
  ...named({ ...withScope('code:read'), foreign: 404 }, 'get_project get_project_index stream_project_index'),
  ...named({ ...withScope('code:read'), foreign: 404 }, 'list_code_nodes'),
  ...named({ ...people, foreign: 404 }, 'update_project request_project_index get_project_budget'),
  ...named({ ...admins, foreign: 404 }, 'delete_project set_project_checks set_project_budget'),
  ...named(
    { ...withScope('code:read'), foreign: 404 },
    'get_project_credentials get_project_checks list_project_secrets',
  ),
  ...named({ ...settings, foreign: 404 }, 'set_project_credentials rotate_project_key set_project_secret'),
  ...named({ ...settings, foreign: 404 }, 'remove_project_credentials'),
  ...named({ ...settings, foreign: 404, findsNothing: true }, 'delete_project_secret'),

  // Repository hosts: members read, admins connect. Webhook calls carry a signature and no credential.
  ...named({ ...withScope('code:read'), foreign: 404, findsNothing: true }, 'get_forge'),
  ...named(
    { ...settings, foreign: 404, findsNothing: true },
    'connect_forge renew_hook_secret disconnect_forge',
  ),
  ...named(everybody, 'receive_forge_hook'),
  ...named({ ...people, foreign: 404, findsNothing: true }, 'get_pull_request'),
  ...named({ ...people, beyondReading: true, foreign: 404, findsNothing: true }, 'tie_pull_request'),
]);

export interface Person {
  tenant: number;
  role: 'admin' | 'member' | 'guest' | 'nobody';
  staff: boolean;
  /** The first admin, who creates all objects of the test. */
  first: boolean;
  /** A guest's level on each board of the workspace, and whether they can open the docs space. */
  levels: (GuestLevel | undefined)[];
  space: boolean;
}

export interface Credential {
  name: string;
  kind: Kind;
  headers: Record<string, string>;
  /** Revoked, expired, never issued, or lost with its owner. */
  dead: boolean;
  person?: Person;
  scopes?: readonly Scope[];
  expiresAt?: Date;
}

export interface Target {
  tenant: number;
  board: number;
  namesBrand: boolean;
}

export type Verdict = 401 | 403 | 404 | 'reached';

const LEVELS: readonly GuestLevel[] = ['viewer', 'commenter', 'editor'];

/** Returns the expected answer, checking in the order that the contract fixes. */
export function judge(
  rule: Rule,
  credential: Credential,
  target: Target,
  { now, ceiling }: { now: Date; ceiling: readonly Scope[] },
): Verdict {
  if (!rule.takes) return 'reached';
  const { kind, person, dead, expiresAt, scopes = [] } = credential;
  if (dead || !rule.takes.includes(kind) || (expiresAt && expiresAt <= now)) return 401;
  if (!person) return 'reached';
  const isForeign = target.tenant !== person.tenant;
  if (target.namesBrand && isForeign) return 404;
  const lacks = (scope: Scope) => !scopes.includes(scope) || !ceiling.includes(scope);
  if (kind === 'pat' && rule.scopes.some(lacks)) return 403;
  const writes = scopes.some((scope) => !scope.endsWith(':read') && !lacks(scope));
  if (kind === 'pat' && rule.beyondReading && !writes) return 403;
  if (!hasRole(rule, person, kind)) return 403;
  if (isForeign && rule.foreign && !(rule.platform && person.staff)) return rule.foreign;
  if (person.role === 'guest' && !isOpenTo(rule, person, target)) return 403;
  if (rule.author && !person.first && !(rule.author === 'or an admin' && person.role === 'admin')) return 403;
  return 'reached';
}

function hasRole({ role, orStaff }: Rule, person: Person, kind: Kind): boolean {
  if (role === 'guest' || person.role === 'admin') return true;
  if (role === 'member') return person.role === 'member';
  return orStaff === true && person.staff && kind === 'session' && person.role === 'member';
}

function isOpenTo({ level, space }: Rule, person: Person, { board }: Target): boolean {
  if (space) return person.space;
  if (!level) return true;
  const own = person.levels[board];
  return own !== undefined && level !== 'no level' && LEVELS.indexOf(own) >= LEVELS.indexOf(level);
}
