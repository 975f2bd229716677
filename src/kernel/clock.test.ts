import { describe, expect, it } from 'vitest';
import { dayIn, isTimeZone, monthOf } from './clock.js';

describe('Time zones', () => {
  it('accept names of the IANA database and nothing else', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
      expect(isTimeZone(name), name).toBe(true);
    for (const name of ['', 'Mars/Olympus', '+01:00', 'Europe/Berlin ', '../etc', 'UTC\n'])
      expect(isTimeZone(name), name).toBe(false);
  });

  it('determine the day and month of an instant', () => {
    const moment = new Date('2026-11-30T23:30:00Z');
    expect(dayIn('UTC', moment)).toBe('2026-11-30');
    expect(dayIn('Asia/Tokyo', moment)).toBe('2026-12-01');
    expect(monthOf(dayIn('Asia/Tokyo', moment))).toBe('2026-12');
    expect(dayIn('America/Los_Angeles', new Date('2026-12-01T07:59:59Z'))).toBe('2026-11-30');
  });
});
