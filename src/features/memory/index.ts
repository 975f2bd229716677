export { claimAgentWithDirectory, registerAgent, retireAgentDirectory } from './agents/agents.service.js';
export { memoryDeadline, memoryOutages } from './memory.errors.js';
export { memoryJobs } from './memory.jobs.js';
export { memoryRoutes } from './memory.routes.js';
export { QuotaExceededSchema } from './memory.schemas.js';
export { createMemoryService, type MemoryService } from './memory.service.js';
