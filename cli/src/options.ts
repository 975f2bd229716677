import { misuse } from './failure.js';
import { readPiped } from './input.js';

export function createOptions(values: Record<string, unknown>, signal: AbortSignal) {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    flag: (name: string): boolean => values[name] === true,
    /** True or false if one of the two flags was given, otherwise undefined. */
    either: (yes: string, no: string): boolean | undefined =>
      values[yes] === true ? true : values[no] === true ? false : undefined,
    many: (name: string): string[] | undefined => {
      const value = values[name];
      return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
    },
    whole: (name: string): number | undefined => {
      const value = text(name);
      return value === undefined ? undefined : readWhole(`--${name}`, value);
    },
    /** A positive integer. */
    count: (name: string): number | undefined => {
      const value = text(name);
      if (value !== undefined && !/^[1-9]\d{0,14}$/.test(value))
        throw misuse(`--${name} must be a positive whole number, not ${JSON.stringify(value)}`);
      return value === undefined ? undefined : Number(value);
    },
    /** A text, or stdin if the value is `-`. */
    long: async (name: string): Promise<string | undefined> => {
      const value = text(name);
      return value === '-' ? readPiped(signal) : value;
    },
    all: values,
  };
}

export type Options = ReturnType<typeof createOptions>;

export function readWhole(name: string, value: string): number {
  if (!/^-?\d{1,15}$/.test(value))
    throw misuse(`${name} must be a whole number, not ${JSON.stringify(value)}`);
  return Number(value);
}

/** Drops undefined fields, so that only given values are sent. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
