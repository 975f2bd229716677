import type { Route } from '../../platform/http/declaration/route.js';
import { workspaceAuditRoutes } from './audit/audit.routes.js';
import { brandRoutes } from './brands/brands.routes.js';
import { docsSpaceRoutes } from './docs-spaces/docs-spaces.routes.js';
import { featureSwitchRoutes } from './feature-switches/feature-switches.routes.js';
import { mailAddressRoutes } from './mail-addresses/mail-addresses.routes.js';
import { accountLetterRoutes } from './people/account-letters.routes.js';
import { guestRoutes } from './people/guests.routes.js';
import { invitationRoutes } from './people/invitations.routes.js';
import { memberRoutes } from './people/members.routes.js';
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
  ...accountLetterRoutes(workspaces.accountLetters),
];
