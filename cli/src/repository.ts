import { hostname } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { type Checkout, listRemotes, realPath } from './checkout.js';

/**
 * Identifies a repository across clones and worktrees: by its remote's address without credentials, or
 * without a remote by the main worktree on this machine.
 */
export function addressOf(checkout: Checkout): string {
  const [remote] = listRemotes(checkout);
  if (remote === undefined) return onThisMachine(mainWorktree(checkout));
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(remote) ?? [];
  if (scheme?.toLowerCase() === 'file') return onThisMachine(`/${rest.replace(/^[^/]*\//, '')}`);
  if (scheme !== undefined) return `${scheme}://${rest.replace(/^[^@/]*@/, '')}`;
  // `host:path` as in ssh; a single character before the colon is a Windows drive.
  if (/^(?:[^@/\\:]+@)?(?:\[[^\]]+\]|[^/\\:@]{2,}):/.test(remote)) return remote.replace(/^[^@/:]+@/, '');
  return onThisMachine(resolve(checkout.root, remote));
}

export const mainWorktree = ({ commonFolder }: Checkout) =>
  basename(commonFolder) === '.git' ? dirname(commonFolder) : commonFolder;

const onThisMachine = (path: string) =>
  `file://${hostname()}${realPath(path).replaceAll('\\', '/').replace(/^\/*/, '/')}`;
