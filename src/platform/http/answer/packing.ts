import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Shorter ones would hardly become shorter. */
export const PACKED_FROM_BYTES = 2048;

/** Longer ones would hold everybody else up: they are packed on their way, in pieces. */
export const PACKED_AT_ONCE_BYTES = 128 * 1024;

export type Packing = 'br' | 'gzip';
/** The first that is accepted is taken. */
export const PACKINGS: readonly Packing[] = ['br', 'gzip'];

const QUALITY = 4;

const packers: Record<Packing, (text: string) => Buffer> = {
  br: (text) =>
    brotliCompressSync(text, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      },
    }),
  gzip: (text) => gzipSync(text),
};

export const pack = (text: string, packing: Packing): Buffer => packers[packing](text);

/** How the caller would like to have it, by `Accept-Encoding`; undefined for as it is. */
export function choosePacking(headers: IncomingHttpHeaders): Packing | undefined {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase();
  if (accepted === '' || headers['x-no-compression'] !== undefined) return undefined;
  const weights = new Map(
    accepted.split(',').map((each) => {
      const [name = '', weight] = each.split(';');
      return [name.trim(), Number(/q=([\d.]+)/.exec(weight ?? '')?.[1] ?? 1)] as const;
    }),
  );
  return PACKINGS.find((packing) => (weights.get(packing) ?? weights.get('*') ?? 0) > 0);
}
