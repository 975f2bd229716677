import { withParameters } from '../shell/router.js';

export const projectAddress = (projectId: string): string => `/dashboard/lessons/${projectId}`;

const withQuery = (projectId: string, parameters: Record<string, string>): string =>
  `${projectAddress(projectId)}?${new URLSearchParams(parameters)}`;

export const browseAddress = (projectId: string, at: string): string => withQuery(projectId, { at });

export const aroundAddress = (projectId: string, at: string): string =>
  withQuery(projectId, { tab: 'around', at });

/** Opens the lesson in a drawer over the current page. */
export const readerAddress = (path: string): string => withParameters({ lesson: path });
