import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { ImageStore } from '../../platform/images/images.js';
import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { RateLimits } from '../../platform/limits/rate-limits.js';
import type { Mailer } from '../../platform/mail/mail-out.js';
import { type IdentityService, PASSWORD_MAIL_JOB } from '../identity/index.js';
import { createBrandService } from './brands/brands.service.js';
import { createDocsSpaceService } from './docs-spaces/docs-spaces.service.js';
import { createFeatureSwitchService } from './feature-switches/feature-switches.service.js';
import { createMailAddressService } from './mail-addresses/mail-addresses.service.js';
import { createGuestService, type GuestBoards } from './people/guests.service.js';
import { createInvitationService } from './people/invitations.service.js';
import { createMailService } from './people/mails.service.js';
import { createMemberPasswordService } from './people/member-passwords.service.js';
import { createMemberPhotoService } from './people/member-photos.service.js';
import { createMemberService } from './people/members.service.js';
import { createWorkspaceAuditService } from './workspace-audit.service.js';

export type { GuestBoards } from './people/guests.service.js';

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

export const createWorkspaceService = (options: WorkspaceOptions) => ({
  mails: createMailService(options),
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

export const workspaceJobs = ({ passwords }: Pick<WorkspaceService, 'passwords'>): JobDefinition[] => [
  {
    name: PASSWORD_MAIL_JOB,
    description: 'Mails password reset links to people who forgot their password.',
    // Each request triggers the job; the schedule retries mails that could not be sent.
    schedule: { everySeconds: 60 },
    run: () => passwords.sendForgotten(),
  },
];
