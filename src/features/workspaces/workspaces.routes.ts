import type { Route } from '../../http/route.js';
import { workspaceAuditRoutes } from './audit.routes.js';
import { brandRoutes } from './brands.routes.js';
import { docsSpaceRoutes } from './docs-spaces.routes.js';
import { featureSwitchRoutes } from './feature-switches.routes.js';
import { guestRoutes } from './guests.routes.js';
import { invitationRoutes } from './invitations.routes.js';
import { mailAddressRoutes } from './mail-addresses.routes.js';
import { memberRoutes } from './members.routes.js';
import type { WorkspaceService } from './workspaces.service.js';

export const workspaceRoutes = (workspaces: WorkspaceService): Route[] => [
  ...brandRoutes(workspaces.brands),
  ...featureSwitchRoutes(workspaces.features),
  ...memberRoutes(workspaces),
  ...guestRoutes(workspaces.guests, workspaces.invitations),
  ...invitationRoutes(workspaces.invitations),
  ...docsSpaceRoutes(workspaces.docsSpaces),
  ...mailAddressRoutes(workspaces.mailAddresses),
  ...workspaceAuditRoutes(workspaces.audit),
];
