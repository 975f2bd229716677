/**
 * Goes on at once where what it needs is there already. Every request passes several places that seldom have to wait for anything: a
 * promise at each of them costs more than all that they do.
 */
export const soon = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
