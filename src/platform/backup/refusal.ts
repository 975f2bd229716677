/** What an operator is told in one sentence, without a stack. */
export class Refusal extends Error {}

const FAULTS: Record<string, string> = {
  ENOSPC: 'there is no space left',
  EDQUOT: 'the quota is used up',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'it can only be read',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EFBIG: 'the file is too large for this disk',
};

/** The disk's own words for what went wrong, where we know them. */
export const describeFault = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return FAULTS[code ?? ''] ?? message;
};
