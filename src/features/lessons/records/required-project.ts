import type { ProjectRow, ProjectService } from '../../projects/index.js';
import { projectNotFound } from '../lessons.errors.js';

/** A project of the workspace, or the 404 that every lesson route has for it. */
export async function getProject(
  projects: ProjectService,
  brandId: number,
  projectId: string,
): Promise<ProjectRow> {
  const project = await projects.findProject(brandId, projectId.toLowerCase());
  if (!project) throw projectNotFound();
  return project;
}
