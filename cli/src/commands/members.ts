import type { Member } from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { misuse } from '../failure.js';
import { given } from '../options.js';
import { findMember, listMembers } from '../people.js';
import { confirmDeletion } from '../prompt.js';

const columns = [
  { title: 'id', of: (member: Member) => member.user_id },
  { title: 'name', of: (member: Member) => member.full_name },
  { title: 'email', of: (member: Member) => member.email },
  { title: 'role', of: (member: Member) => member.role },
  { title: 'position', of: (member: Member) => member.position },
];

export const members: Group = {
  name: 'members',
  about: 'Manage workspace members',
  commands: [
    {
      use: 'list',
      about: 'List the members of the workspace.',
      examples: ['guildhall members', 'guildhall members list --json user_id,email'],
      run: async (call) => call.out.list(await listMembers(call), columns),
    },
    {
      use: 'show <member>',
      about: 'Show a member, by user_id, email address or name.',
      examples: ['guildhall members show ada@acme.example'],
      async run(call) {
        const member = await findMember(call, call.args[0]!);
        call.out.record(member, Object.entries(member));
      },
    },
    {
      use: 'invite <email>',
      about: 'Invite a person to the workspace by email.',
      examples: ['guildhall members invite dora@acme.example --role admin'],
      options: [['--role <role>', 'The role: member or admin; default: member']],
      async run({ args, options, out, service, signal }) {
        const { client, brandId } = service();
        const role = (options.text('role') ?? 'member') as Member['role'];
        const invitation = await client.inviteMember(
          { brand_id: await brandId(), email: args[0]!, role },
          { signal },
        );
        out.done(invitation, `Invited ${invitation.email}. The link expires at ${invitation.expires_at}.`);
      },
    },
    {
      use: 'edit <member>',
      about: "Change a member's role or position.",
      examples: ['guildhall members edit ben@acme.example --role admin'],
      options: [
        ['--role <role>', 'The role: member or admin'],
        ['--position <position>', 'The position; none clears it'],
      ],
      async run(call) {
        const { options, signal, out } = call;
        const position = options.text('position');
        const changes = given({
          role: options.text('role'),
          position: position === 'none' ? null : position,
        });
        if (Object.keys(changes).length === 0) throw misuse('No changes given', 'Pass --role or --position.');
        const { user_id, full_name } = await findMember(call, call.args[0]!);
        const { client, brandId } = call.service();
        const done = await client.updateMember(
          { brand_id: await brandId(), user_id, ...changes },
          { signal },
        );
        out.done(done, `Updated ${Object.keys(changes).join(', ')} of ${full_name}.`);
      },
    },
    {
      use: 'remove <member>',
      about: 'Remove a member from the workspace, and end their sessions and revoke their tokens there.',
      examples: ['guildhall members remove ben@acme.example --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const { user_id, full_name } = await findMember(call, call.args[0]!);
        await confirmDeletion(`Remove ${full_name} from the workspace?`, call.options.flag('yes'));
        const { client, brandId } = call.service();
        await client.removeMember({ brand_id: await brandId(), user_id }, { signal: call.signal });
        call.out.done({ user_id, removed: true }, `Removed ${full_name} from the workspace.`);
      },
    },
  ],
};
