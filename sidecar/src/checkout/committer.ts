import { type DeskConfig, type DeskFiles, readIfThere } from '../desk-files.js';
import { type Committer, readCommitter, type StartedBuild } from '../work/build-protocol.js';

/** Whose commits those are that this desk makes for a coder: as its owner says, else as the service does. */
export function findCommitter(
  files: Pick<DeskFiles, 'commitIdentity'>,
  { url }: Pick<DeskConfig, 'url'>,
  { committer }: Pick<StartedBuild, 'committer'>,
): Committer {
  const text = readIfThere(files.commitIdentity)?.trim();
  const [, name, email] = /^(.*?)\s*<(.*)>$/.exec(text ?? '') ?? [];
  const own = readCommitter({ name, email });
  if (text && !own) console.error(`${files.commitIdentity} is not of the form Name <address>`);
  return own ?? committer ?? { name: 'guildhall', email: `noreply@${new URL(url).hostname}` };
}
