import { sha256Hex } from '../../../kernel/secrets.js';

/** The same words in another order are the same body. */
export const digestOf = (body: object): string =>
  sha256Hex(
    JSON.stringify(body, (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    ),
  );
