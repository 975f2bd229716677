import { notPlainFile, repeatedName } from '../../../packages/protocol/checks-file.js';
import {
  badGateway,
  conflict,
  forbidden,
  gatewayTimeout,
  notFound,
  notReachable,
  tooLarge,
  unprocessable,
} from '../../kernel/errors.js';

export const projectNotFound = () => notFound('Project not found');
export const projectQuotaExceeded = (limit: number, current: number) =>
  forbidden({
    error: 'quota_exceeded',
    limit,
    current,
    message: `The workspace plan allows ${limit} projects, and there are ${current}`,
  });
export const hostKeyNotFound = () => notFound('Host key not found');
export const noRepository = () => conflict('This project has no repository');
export const adminRequired = () => forbidden('Brand admin access required');
export const invalidRepositoryUrl = () =>
  unprocessable(
    'repository.url must be an https or ssh address, or a local path inside the folder of this workspace',
  );
export const tokenMissing = () => unprocessable('token must be given with kind token');
export const tokenUnwanted = () => unprocessable('token and username belong to kind token only');
export const tokenNeedsHttps = () =>
  unprocessable('kind token needs a project whose repository has an https address');
export const noDeployKey = () => conflict('This project has no deploy key of its own');
export const invalidBranch = () => unprocessable('repository.branch must be the name of a branch');
export const bundleRefused = (reason: string) => unprocessable(reason);
export const invalidDiffPath = () => unprocessable('path must be a path inside the repository');
export const diffTooLarge = (actualBytes: number, limitBytes: number, paths: string[]) =>
  tooLarge({
    error: 'diff_too_large',
    message: `The diff has ${actualBytes} bytes, over the limit of ${limitBytes}; ask for one path of it`,
    actual_bytes: actualBytes,
    limit_bytes: limitBytes,
    retry_with: paths.length > 1 ? { path: paths[0]! } : null,
    paths,
  });
export const fileTooLarge = (actualBytes: number, limitBytes: number) =>
  tooLarge(`The file has ${actualBytes} bytes; lines are read of files of at most ${limitBytes}`);
export const repeatedCheck = (name: string, field: string) => unprocessable(repeatedName(name, field));
export const checksNoFile = (limitBytes: number) => unprocessable(notPlainFile(limitBytes));
export const blankName = () => unprocessable('name must not be blank');
export const repositoryOutOfReach = () => badGateway(notReachable('The repository'));
export const repositoryTooSlow = (seconds = 30) =>
  gatewayTimeout(`The repository gave no answer within ${seconds} seconds`);

export const projectSecretNotFound = () => notFound('Secret not found');
export const tooManySecrets = (most: number) => conflict(`A project has at most ${most} secrets`);
export const secretNameInvalid = () => unprocessable('name must be 1 to 64 characters of A-Z, 0-9 and _');
export const secretNameReserved = (name: string) =>
  unprocessable(`name ${name} is reserved, because it changes how programs run`);
export const secretTooLarge = () => unprocessable('value must be at most 64 KiB');
export const secretWithZero = () => unprocessable('value must not contain a zero byte');
