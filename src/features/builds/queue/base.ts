import { ApiError } from '../../../kernel/errors.js';
import type { ProjectService } from '../../projects/index.js';
import type { BuildParts } from '../record/builds.parts.js';

/**
 * The branch as the repository has it now. When it cannot be asked, a build of the project's own branch starts from the
 * commit that was indexed last: a host that is away for a while keeps nobody from working.
 */
export const createBaseResolver =
  ({ commits }: Pick<ProjectService, 'commits'>): BuildParts['resolveBase'] =>
  async (project, baseBranch) => {
    const { repository_branch: own, ready_commit: indexed } = project;
    try {
      const found = await commits.findBranch(project, baseBranch);
      return found && { branch: found.branch, sha: found.commit };
    } catch (error) {
      const isOwn = own !== null && (baseBranch ?? own) === own;
      if (error instanceof ApiError && error.status >= 500 && isOwn && indexed !== null)
        return { branch: own, sha: indexed };
      throw error;
    }
  };
