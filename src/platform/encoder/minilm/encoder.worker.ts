import { loadEncoder } from './encoder.js';

export interface EncoderQuestion {
  id: number;
  text: string;
}

export type EncoderAnswer =
  | { id: number; vector: Float32Array; failed?: undefined }
  | { id: number; failed: string };

// The parent process has ended.
process.on('disconnect', () => process.exit(0));

const answer = (message: EncoderAnswer): Promise<unknown> =>
  new Promise((resolve) => process.send?.(message, resolve));
const describe = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

const encoder = loadEncoder();
let last: Promise<unknown> = Promise.resolve();

process.on('message', ({ id, text }: EncoderQuestion) => {
  last = last.then(async () => {
    const encode = await encoder.catch(async (error: unknown) => {
      await answer({ id, failed: describe(error) });
      process.exit(1);
    });
    const made = encode(text).then(
      (vector): EncoderAnswer => ({ id, vector }),
      (error: unknown): EncoderAnswer => ({ id, failed: describe(error) }),
    );
    await answer(await made);
  });
});
