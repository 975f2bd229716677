/** The subset of a pino logger that code outside the web server needs. */
export interface Log {
  debug(fields: object | string, message?: string): void;
  info(fields: object | string, message?: string): void;
  warn(fields: object | string, message?: string): void;
  error(fields: object | string, message?: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
