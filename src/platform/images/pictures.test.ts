import { spawn } from 'node:child_process';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawPicture } from './pictures.js';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#ff000080' } });
const PLAIN = { format: 'png', mostPixels: 1e6 } as const;

/** A process that runs the script instead of the worker. */
const startScript = (script: string) =>
  spawn(process.execPath, ['-e', script], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

describe('Picture', () => {
  it.each([
    [{ side: 40, fit: 'cover' }, [40, 40]],
    [{ side: 40, fit: 'inside' }, [40, 20]],
    [{ side: 400, fit: 'inside' }, [120, 60]],
  ] as const)('is drawn as %j', async (square, [width, height]) => {
    const source = await picture(120, 60).png().toBuffer();
    const drawn = await drawPicture(1, { ...PLAIN, source, square, as: { format: 'webp', quality: 80 } });
    const { bytes } = drawn as { bytes: Uint8Array };
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width, height });
  });

  it('is rejected when its format is not the declared one', async () => {
    const source = await picture(4, 4).webp().toBuffer();
    expect(await drawPicture(1, { ...PLAIN, source })).toEqual({ refused: 'not_a_picture' });
    expect(await drawPicture(1, { ...PLAIN, format: 'webp', source })).toEqual({ bytes: new Uint8Array() });
  });

  it('is rejected when it is truncated', async () => {
    const whole = await picture(200, 200).png({ compressionLevel: 0 }).toBuffer();
    const source = whole.subarray(0, whole.length / 2);
    expect(await drawPicture(1, { ...PLAIN, source })).toEqual({ refused: 'not_a_picture' });
  });

  it('is rejected when it has too many pixels', async () => {
    const source = await picture(1000, 1001).png().toBuffer();
    expect(await drawPicture(1, { ...PLAIN, source })).toEqual({ refused: 'too_many_pixels' });
  });

  it('is rejected when it crashes the library, without affecting this process', async () => {
    const child = startScript('process.once("message", () => process.kill(process.pid, "SIGSEGV"));');
    const drawn = drawPicture(1, { ...PLAIN, source: Buffer.alloc(8) }, { start: () => child });
    expect(await drawn).toEqual({ refused: 'not_a_picture' });
    expect(child.signalCode).toBe('SIGSEGV');
  });

  it('is rejected after the time limit, and its process is killed', async () => {
    const child = startScript('process.once("message", () => { for (;;); });');
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const drawn = drawPicture(
      1,
      { ...PLAIN, source: Buffer.alloc(8) },
      { start: () => child, longestMs: 50 },
    );
    expect(await drawn).toEqual({ refused: 'not_a_picture' });
    expect(await ended).toBe('SIGKILL');
  });

  it('of another workspace is drawn before the third large one', async () => {
    const ended: string[] = [];
    const slow = () => startScript('process.once("message", () => setTimeout(() => process.send({}), 300));');
    const draw = (brandId: number, name: string) =>
      drawPicture(brandId, { ...PLAIN, source: Buffer.alloc(8) }, { start: slow }).then(() =>
        ended.push(name),
      );
    const large = [1, 2, 3, 4].map((count) => draw(1, `large ${count}`));
    await Promise.all([...large, draw(2, 'tiny')]);
    expect(ended.indexOf('tiny')).toBeLessThan(ended.indexOf('large 3'));
  });
});
