export { lessonJobs, startCodeThread } from './lessons.jobs.js';
export { lessonRoutes } from './lessons.routes.js';
export { ImpactAnswer, type NearAnswer } from './lessons.schemas.js';
export { createLessonService, type LessonService } from './lessons.service.js';
