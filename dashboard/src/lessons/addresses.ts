import { withParameters } from '../shell/router.js';

/** The addresses of a project's pages. */
export const projectAddress = (projectId: string): string => `/dashboard/lessons/${projectId}`;

const withQuery = (projectId: string, parameters: Record<string, string>): string =>
  `${projectAddress(projectId)}?${new URLSearchParams(parameters)}`;

export const browseAddress = (projectId: string, at: string): string => withQuery(projectId, { at });

export const aroundAddress = (projectId: string, at: string): string =>
  withQuery(projectId, { tab: 'around', at });

/** The reader lies over whatever is open. */
export const readerAddress = (path: string): string => withParameters({ lesson: path });
