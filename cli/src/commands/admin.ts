import type {
  IssueTokenArguments,
  PutWorkspaceMemberArguments,
  Workspace,
} from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { collect } from '../find.js';
import { given, readWhole } from '../options.js';
import { keepToken, TOKEN_OPTIONS } from '../token-file.js';

const MOST_LISTED = 200;

const columns = [
  { title: 'id', of: (brand: Workspace) => brand.brand_id },
  { title: 'name', of: (brand: Workspace) => brand.name },
  { title: 'plan', of: (brand: Workspace) => brand.plan },
  { title: 'created', of: (brand: Workspace) => brand.created_at },
];

export const admin: Group = {
  name: 'admin',
  about: 'Administer the server as its operator (key: GUILDHALL_ADMIN_KEY)',
  commands: [
    {
      use: 'workspaces',
      about: 'List all workspaces on the server.',
      examples: ['guildhall admin workspaces', 'guildhall admin workspaces --json brand_id,name'],
      async run({ out, service, signal }) {
        const brands = await collect(service().operator().iterate('listAllWorkspaces', {}, { signal }));
        out.list(
          brands,
          columns,
          'No workspaces yet. Create one with: guildhall admin create-workspace Acme',
        );
      },
    },
    {
      use: 'create-workspace <name>',
      about: 'Create a workspace.',
      examples: ['guildhall admin create-workspace Acme --plan team'],
      options: [['--plan <plan>', 'The plan: free, team, business or enterprise']],
      async run({ args, options, out, service, signal }) {
        const plan = options.text('plan') as Workspace['plan'] | undefined;
        const brand = await service()
          .operator()
          .createWorkspace(given({ name: args[0]!, plan }), { signal });
        out.done(brand, `Created workspace ${brand.name} (${brand.brand_id}).`);
      },
    },
    {
      use: 'create-user <email> <name>',
      about: 'Create a user, who sets a password with the reset link.',
      examples: ['guildhall admin create-user ada@acme.example "Ada Lindqvist"'],
      async run({ args, out, service, signal }) {
        const [email = '', full_name = ''] = args;
        const user = await service().operator().createUser({ email, full_name }, { signal });
        out.done(user, `Created user ${user.full_name} (${user.user_id}).`);
      },
    },
    {
      use: 'put-member <workspace> <user>',
      about: 'Add a user to a workspace or change their role, both by id.',
      examples: ['guildhall admin put-member 1 7 --role admin'],
      options: [['--role <role>', 'The role: member or admin; default: member']],
      async run({ args, options, out, service, signal }) {
        const [brand = '', user = ''] = args;
        const fields = given({
          brand_id: readWhole('The workspace', brand),
          user_id: readWhole('The user', user),
          role: options.text('role') as PutWorkspaceMemberArguments['role'],
        });
        const member = await service().operator().putWorkspaceMember(fields, { signal });
        out.done(member, `Set the role of user ${user} in workspace ${brand} to ${member.role}.`);
      },
    },
    {
      use: 'issue-token <workspace> <user>',
      about: 'Issue a personal access token and write it to a file that only you can read.',
      examples: ['guildhall admin issue-token 1 7 --scope memory:read --to token.txt'],
      options: [...TOKEN_OPTIONS, ['--name <name>', "The token's name"]],
      async run({ args, options, out, service, signal }) {
        const [brand = '', user = ''] = args;
        const client = service().operator();
        const fields = given({
          brand_id: readWhole('The workspace', brand),
          user_id: readWhole('The user', user),
          scopes: options.many('scope') as IssueTokenArguments['scopes'],
          name: options.text('name'),
          agent_id: options.text('agent'),
          expires_at: options.text('expires'),
        });
        const { made, file } = await keepToken(options, () => client.issueToken(fields, { signal }));
        out.done(made, `Issued token ${made.token_id} and wrote it to ${file}.`);
      },
    },
    {
      use: 'revoke-token <token-id>',
      about: 'Revoke any token by its id, effective immediately.',
      examples: ['guildhall admin revoke-token 7a1c9b0e-2f5d-4b7e-9c3a-5d8e1f2a6b44'],
      async run({ args, out, service, signal }) {
        await service().operator().revokeAnyToken({ token_id: args[0]! }, { signal });
        out.done({ token_id: args[0], revoked: true }, `Revoked token ${args[0]}.`);
      },
    },
    {
      use: 'run-job <job>',
      about: 'Run a background job and wait for it to finish.',
      examples: ['guildhall admin run-job memory-export'],
      async run({ args, out, service, signal }) {
        const ran = await service().operator().runJob({ name: args[0]! }, { signal });
        out.done(ran, `${ran.job}: ${ran.processed} processed, ${ran.failed} failed.`);
      },
    },
    {
      use: 'audit',
      about: 'Show the audit log, newest first.',
      examples: ['guildhall admin audit --workspace 1 --limit 20'],
      options: [
        ['--workspace <id>', 'Only entries of this workspace'],
        ['--limit <n>', 'Maximum number; default 50'],
      ],
      async run({ options, out, service, signal }) {
        const limit = Math.min(options.count('limit') ?? 50, MOST_LISTED);
        const fields = given({ brand_id: options.whole('workspace'), limit });
        const { items, next_cursor } = await service().operator().listPlatformAudit(fields, { signal });
        out.list(items, [
          { title: 'at', of: (entry) => entry.at },
          { title: 'workspace', of: (entry) => entry.brand_id },
          { title: 'actor', of: (entry) => entry.actor.user_id ?? entry.actor.kind },
          { title: 'action', of: (entry) => entry.action },
          { title: 'subject', of: (entry) => entry.subject },
        ]);
        if (next_cursor !== null) out.part(items.length, undefined, '--limit');
      },
    },
  ],
};
