export { mcpRoutes } from './mcp.routes.js';
export { createMcpService } from './mcp.service.js';
