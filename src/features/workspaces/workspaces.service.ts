import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { ImageStore } from '../../platform/images/images.js';
import type { RateLimits } from '../../platform/limits/rate-limits.js';
import type { Mailer } from '../../platform/mail/mail-out.js';
import type { IdentityService } from '../identity/index.js';
import { createWorkspaceAuditService } from './audit/audit.service.js';
import { createBrandService } from './brands/brands.service.js';
import { createDocsSpaceService } from './docs-spaces/docs-spaces.service.js';
import { createFeatureSwitchService } from './feature-switches/feature-switches.service.js';
import { createMailAddressService } from './mail-addresses/mail-addresses.service.js';
import { createAccountLetterService } from './people/account-letters.service.js';
import { createAdminLetterService } from './people/admin-letters.service.js';
import type { GuestBoards } from './people/guest-boards.js';
import { createGuestService } from './people/guests.service.js';
import { createInvitationService } from './people/invitations.service.js';
import { createMemberPasswordService } from './people/member-passwords.service.js';
import { createMemberPhotoService } from './people/member-photos.service.js';
import { createMemberService } from './people/members.service.js';

export type { GuestBoards } from './people/guest-boards.js';

export interface WorkspaceOptions {
  db: Db;
  clock: Clock;
  log: Log;
  identity: IdentityService;
  images: ImageStore;
  mailer: Mailer;
  boards: GuestBoards;
  baseUrl: string;
  mailDomain: string;
  cursorSecret: string;
  rateLimits: RateLimits;
}

export type WorkspaceService = ReturnType<typeof createWorkspaceService>;

/** The settings of a workspace, one service a subject. */
export const createWorkspaceService = (options: WorkspaceOptions) => ({
  accountLetters: createAccountLetterService(options),
  adminLetters: createAdminLetterService(options),
  brands: createBrandService(options),
  features: createFeatureSwitchService(options),
  members: createMemberService(options),
  photos: createMemberPhotoService(options),
  passwords: createMemberPasswordService(options),
  guests: createGuestService(options),
  invitations: createInvitationService(options),
  docsSpaces: createDocsSpaceService(options),
  mailAddresses: createMailAddressService(options),
  audit: createWorkspaceAuditService(options),
});
