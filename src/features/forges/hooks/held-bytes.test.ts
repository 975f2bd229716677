import { describe, expect, it } from 'vitest';
import { createUnverifiedBytes } from './hooks.service.js';

const from = (clientAddress: string, projectId = 'project') => ({ clientAddress, projectId });
const tooMuch = 'Too many deliveries at once';

describe('Limits for unverified deliveries', () => {
  it('allow one project and network an eighth, across all its addresses', () => {
    const held = createUnverifiedBytes({ most: 80 });
    held.hold(from('2001:db8:1:2::1'), 10);
    expect(() => held.hold(from('2001:db8:1:2::ffff'), 1)).toThrow(tooMuch);
    expect(() => held.hold(from('2001:db8:1:3::1'), 10)).not.toThrow();
    expect(() => held.hold(from('192.0.2.1'), 1)).toThrow(tooMuch);
    expect(() => held.hold(from('192.0.2.1', 'other'), 10)).not.toThrow();
    expect(() => held.hold(from('192.0.2.99', 'other'), 1)).toThrow(tooMuch);
  });

  it('leave space for a network that holds none yet', () => {
    const held = createUnverifiedBytes({ most: 80 });
    for (let n = 0; n < 20; n += 1)
      for (let project = 0; project < 8; project += 1)
        try {
          held.hold(from(`192.0.${n}.1`, `project-${n}-${project}`), 2);
        } catch {
          // Expected: the network has used its share.
        }
    expect(() => held.hold(from('198.51.100.7', 'new'), 1)).not.toThrow();
  });
});
