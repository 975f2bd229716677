// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface GetDashboardAssetArguments {
  /** The name of the file, as the page refers to it. */
  file: string;
}

export interface ShowDashboardAreaArguments {
  /** The part of the dashboard, such as `boards` or `desks`. */
  area: string;
}

export interface ShowDashboardRecordArguments {
  /** The part of the dashboard, such as `boards` or `desks`. */
  area: string;
  /** The id of the record to show, as its list links it. */
  id: string;
}

export interface ShowInvitationArguments {
  /** The secret of the invitation, as the mailed link has it. */
  token: string;
}

export interface DashboardMethods {
  /**
   * Leads to the dashboard.
   * For people who open the bare address: a redirect to `/dashboard`.
   */
  showEntrance(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Script, style or picture of the dashboard.
   * The name holds a digest of the content, so an answer can be kept for good.
   */
  getDashboardAsset(fields: GetDashboardAssetArguments, options?: CallOptions): Promise<Blob>;

  /**
   * The dashboard.
   * A page for people; programs use the operations under `/api/v1`.
   */
  showDashboard(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * An area of the dashboard.
   * A page for people; programs use the operations under `/api/v1`.
   */
  showDashboardArea(fields: ShowDashboardAreaArguments, options?: CallOptions): Promise<string>;

  /**
   * One thing in an area of the dashboard.
   * A page for people; programs use the operations under `/api/v1`.
   */
  showDashboardRecord(fields: ShowDashboardRecordArguments, options?: CallOptions): Promise<string>;

  /**
   * The page that an invitation link opens.
   * A page for people; programs use the operations under `/api/v1`.
   */
  showInvitation(fields: ShowInvitationArguments, options?: CallOptions): Promise<string>;

  /**
   * The page that a password reset link opens.
   * A page for people; programs use the operations under `/api/v1`.
   */
  showResetPassword(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * The page to sign in.
   * A page for people; programs use the operations under `/api/v1`.
   */
  showSignIn(fields?: NoArguments, options?: CallOptions): Promise<string>;
}

export const dashboard = {
  showEntrance: { method: 'GET', path: '/', answer: 'nothing' },
  getDashboardAsset: { method: 'GET', path: '/assets/{file}', answer: 'bytes' },
  showDashboard: { method: 'GET', path: '/dashboard', answer: 'text' },
  showDashboardArea: { method: 'GET', path: '/dashboard/{area}', answer: 'text' },
  showDashboardRecord: { method: 'GET', path: '/dashboard/{area}/{id}', answer: 'text' },
  showInvitation: { method: 'GET', path: '/invitations/{token}', answer: 'text' },
  showResetPassword: { method: 'GET', path: '/reset-password', answer: 'text' },
  showSignIn: { method: 'GET', path: '/sign-in', answer: 'text' },
} as const satisfies Record<string, Operation>;
