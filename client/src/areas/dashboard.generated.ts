// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface GetDashboardAssetArguments {
  /** The file, as the page refers to it. */
  file: string;
}

export interface ShowDashboardAreaArguments {
  /** The part of the dashboard, such as `boards` or `desks`. */
  area: string;
}

export interface ShowDashboardRecordArguments {
  /** The part of the dashboard, such as `boards` or `desks`. */
  area: string;
  /** The record to show, as its list links it. */
  id: string;
}

export interface ShowInvitationArguments {
  /** The secret at the end of the invitation link. */
  token: string;
}

export interface DashboardMethods {
  /**
   * Redirect to the dashboard.
   * A redirect to `/dashboard`.
   */
  showEntrance(fields?: NoArguments, options?: CallOptions): Promise<void>;

  /**
   * Get a file of the dashboard.
   * Its name contains a digest, so the answer can be cached permanently.
   */
  getDashboardAsset(fields: GetDashboardAssetArguments, options?: CallOptions): Promise<Blob>;

  /**
   * The dashboard.
   * For people; programs use `/api/v1`.
   */
  showDashboard(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * Show an area of the dashboard.
   * For people; programs use `/api/v1`.
   */
  showDashboardArea(fields: ShowDashboardAreaArguments, options?: CallOptions): Promise<string>;

  /**
   * Show one item in an area of the dashboard.
   * For people; programs use `/api/v1`.
   */
  showDashboardRecord(fields: ShowDashboardRecordArguments, options?: CallOptions): Promise<string>;

  /**
   * Show the page that an invitation link opens.
   * For people; programs use `/api/v1`.
   */
  showInvitation(fields: ShowInvitationArguments, options?: CallOptions): Promise<string>;

  /**
   * Show the page that a password reset link opens.
   * For people; programs use `/api/v1`.
   */
  showResetPassword(fields?: NoArguments, options?: CallOptions): Promise<string>;

  /**
   * The page to sign in.
   * For people; programs use `/api/v1`.
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
