import type { Db } from '../../database/database.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { ImageStore } from '../../services/images.js';
import type { Mailer } from '../../services/mail-out.js';
import type { RateLimits } from '../../services/rate-limits.js';
import type { IdentityService } from '../identity/identity.service.js';
import { createAdminLetterService } from './admin-letters.service.js';
import { createWorkspaceAuditService } from './audit.service.js';
import { createBrandService } from './brands.service.js';
import { createDocsSpaceService } from './docs-spaces.service.js';
import { createFeatureSwitchService } from './feature-switches.service.js';
import type { GuestBoards } from './guest-boards.js';
import { createGuestService } from './guests.service.js';
import { createInvitationService } from './invitations.service.js';
import { createMailAddressService } from './mail-addresses.service.js';
import { createMemberPasswordService } from './member-passwords.service.js';
import { createMemberPhotoService } from './member-photos.service.js';
import { createMemberService } from './members.service.js';

export type { GuestBoards } from './guest-boards.js';

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
