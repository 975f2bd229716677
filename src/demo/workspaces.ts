import type { OperatorService } from '../features/operator/operator.service.js';
import type { WorkspaceService } from '../features/workspaces/index.js';
import type { MemberCaller } from '../kernel/access.js';

const PACKAGES = [
  { name: 'code-review', version: '2.4.0' },
  { name: 'release-notes', version: '1.1.3' },
];

/** Packages, a feed, docs spaces, and two guests of whom one is invited to become a member. */
export async function seedWorkspaces(
  { operator, workspaces }: { operator: OperatorService; workspaces: WorkspaceService },
  admin: MemberCaller,
  password: string,
): Promise<void> {
  for (const wanted of PACKAGES) await operator.installPackage(admin.brandId, wanted);
  await operator.addFeedSource(admin.brandId, {
    name: 'Release radar',
    url: 'https://news.example.com/feed.xml',
  });
  await workspaces.features.changeFeature(admin, 'crm', true);

  const handbook = await workspaces.docsSpaces.createSpace(admin, 'Handbook');
  const partners = await workspaces.docsSpaces.createSpace(admin, 'Partner notes');
  const dina = await operator.createUser({
    email: 'dina@partner.example',
    full_name: 'Dina Aalto',
    password,
  });
  const emil = await operator.createUser({
    email: 'emil@partner.example',
    full_name: 'Emil Novak',
    password,
  });
  await workspaces.docsSpaces.putGuest(admin, partners.space_id, dina.user_id, 'commenter');
  await workspaces.docsSpaces.putGuest(admin, handbook.space_id, emil.user_id, 'viewer');
  await workspaces.docsSpaces.putGuest(admin, partners.space_id, emil.user_id, 'editor');
  await workspaces.invitations.inviteGuest(admin, emil.user_id);
}
