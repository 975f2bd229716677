import { createHash } from 'node:crypto';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Desk number n has the address 127.1.x.y, so that both sides of the bench can identify it. */
export const deskAddress = (n: number): string => `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;

export function deskNumber(address: string): number {
  const [, a = 1, b = 0, c = 0] = address.replace('::ffff:', '').split('.').map(Number);
  return ((a - 1) << 16) | (b << 8) | c;
}

export function describeDesk(n: number): { deskId: string; tokenHash: string } {
  const hex = n.toString(16).padStart(12, '0');
  return { deskId: `00000000-0000-4000-8000-${hex}`, tokenHash: sha256(`token of desk ${n}`) };
}
