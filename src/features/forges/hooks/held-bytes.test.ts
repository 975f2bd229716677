import { describe, expect, it } from 'vitest';
import { createHeldBytes } from './held-bytes.js';

describe('bytes that nobody has judged yet', () => {
  it('are bounded for all and for each address, and free again once they are let go', () => {
    const held = createHeldBytes({ most: 10, mostOfOne: 6 });
    held.hold('a', 6);
    expect(() => held.hold('a', 1)).toThrow('Too many deliveries at once');
    held.hold('b', 4);
    expect(() => held.hold('c', 1)).toThrow('Too many deliveries at once');
    held.letGo('a', 6);
    held.hold('c', 6);
    held.letGo('b', 4);
    held.letGo('c', 6);
    expect(held.held()).toBe(0);
  });
});
