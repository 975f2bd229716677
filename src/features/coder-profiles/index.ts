export { coderProfileRoutes } from './coder-profiles.routes.js';
export {
  type CoderProfileService,
  createCoderProfileService,
  findCoder,
  findProfile,
  isProfileKey,
} from './coder-profiles.service.js';
