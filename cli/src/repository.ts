import { hostname } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { type Checkout, listRemotes, realPath } from './checkout.js';

/**
 * What every clone and worktree of a repository has in common: the address of its remote, without the name and password
 * that may stand in it; without a remote the main worktree on this machine.
 */
export function addressOf(checkout: Checkout): string {
  const [remote] = listRemotes(checkout);
  if (remote === undefined) return onThisMachine(mainWorktree(checkout));
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(remote) ?? [];
  if (scheme?.toLowerCase() === 'file') return onThisMachine(`/${rest.replace(/^[^/]*\//, '')}`);
  if (scheme !== undefined) return `${scheme}://${rest.replace(/^[^@/]*@/, '')}`;
  // `host:path`, where a letter alone is a drive.
  if (/^(?:[^@/\\:]+@)?(?:\[[^\]]+\]|[^/\\:@]{2,}):/.test(remote)) return remote.replace(/^[^@/:]+@/, '');
  return onThisMachine(resolve(checkout.root, remote));
}

/** The worktree that the repository lives in. */
export const mainWorktree = ({ commonFolder }: Checkout) =>
  basename(commonFolder) === '.git' ? dirname(commonFolder) : commonFolder;

const onThisMachine = (path: string) =>
  `file://${hostname()}${realPath(path).replaceAll('\\', '/').replace(/^\/*/, '/')}`;
