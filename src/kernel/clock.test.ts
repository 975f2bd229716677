import { describe, expect, it } from 'vitest';
import { dayIn, isTimeZone, monthOf } from './clock.js';

describe('time zones', () => {
  it('are names of the IANA database', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
      expect(isTimeZone(name), name).toBe(true);
    for (const name of ['', 'Mars/Olympus', '+01:00', 'Europe/Berlin ', '../etc', 'UTC\n'])
      expect(isTimeZone(name), name).toBe(false);
  });

  it('decide which day and month a moment belongs to', () => {
    const moment = new Date('2026-11-30T23:30:00Z');
    expect(dayIn('UTC', moment)).toBe('2026-11-30');
    expect(dayIn('Asia/Tokyo', moment)).toBe('2026-12-01');
    expect(monthOf(dayIn('Asia/Tokyo', moment))).toBe('2026-12');
    expect(dayIn('America/Los_Angeles', new Date('2026-12-01T07:59:59Z'))).toBe('2026-11-30');
  });
});
