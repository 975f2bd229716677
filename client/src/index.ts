export type * from './areas/index.generated.js';
export { type ErrorDetail, GuildhallError } from './core/errors.js';
export type {
  CallOptions,
  GuildhallOptions,
  RetryOptions,
  ServerEvent,
  StreamOptions,
} from './core/options.js';
export { Guildhall } from './guildhall.js';
