import type { CoderProfileService } from '../features/coder-profiles/index.js';
import type { OperatorService } from '../features/operator/operator.service.js';
import type { WebhookService } from '../features/webhooks/index.js';
import type { WorkspaceService } from '../features/workspaces/index.js';
import type { MemberCaller } from '../kernel/access.js';

const PACKAGES = [
  { name: 'code-review', version: '2.4.0' },
  { name: 'release-notes', version: '1.1.3' },
];

/** Adds packages, a feed, docs spaces and two guests, one of whom is invited to become a member. */
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

/** Adds changes with a history, so that a visitor can reset something. */
export async function seedCoderProfiles(profiles: CoderProfileService, admin: MemberCaller): Promise<void> {
  await profiles.override(admin, 'claude.coding', { model: 'claude-opus-5-5', limit_value: 160 });
  await profiles.override(admin, 'claude.coding', { limit_value: 120 });
  await profiles.override(admin, 'codex.docs', { effort: 'medium' });
  await profiles.override(admin, 'pi.test', { model: 'claude-sonnet-5' });
  await profiles.reset(admin, 'pi.test', 'model');
}

/** Adds one webhook, turned off so that the demo sends nothing. */
export async function seedWebhookDemo(webhooks: WebhookService, admin: MemberCaller): Promise<void> {
  const { webhook_id } = await webhooks.createWebhook(admin, {
    // A reserved example domain, which never resolves.
    url: 'https://hooks.acme.example/guildhall',
    events: ['task.moved', 'build.finished', 'desk.unreachable'],
    description: 'Tells the team chat what moves',
  });
  await webhooks.changeWebhook(admin, webhook_id, { enabled: false });
}
