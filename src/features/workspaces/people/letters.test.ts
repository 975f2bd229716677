import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  guestInvitationLetter,
  invitationLetter,
  noticeLetter,
  passwordChangedLetter,
  passwordResetLetter,
} from './letters.js';

const occasion = { to: 'ada@example.test', name: 'Ada', workspace: 'Acme Robotics' };
const link = 'https://guildhall.example/reset-password?token=a-b_c';

describe('letters', () => {
  it('name the workspace and carry the link in both forms', () => {
    for (const letter of [
      passwordResetLetter({ ...occasion, link }),
      invitationLetter({ ...occasion, link }),
    ]) {
      expect(letter.to).toBe(occasion.to);
      expect(letter.subject).toContain('Acme Robotics');
      expect(letter.text).toContain('Acme Robotics');
      expect(letter.text.split('\n')).toContain(link);
      expect(letter.html).toContain(`href="${link}"`);
    }
  });

  it('about a changed password name the workspace and hold no link', () => {
    const letter = passwordChangedLetter(occasion);
    expect(letter.subject).toBe('Your password for "Acme Robotics" was changed');
    expect(letter.html).not.toContain('<a');
  });

  it('have lines that need no encoding on their way', () => {
    const short = 'http://127.0.0.1:8080/invitations/abcdefghijklmnopqrstuvwxyz012345';
    const { text, html } = invitationLetter({ ...occasion, link: short });
    for (const line of `${text}${html}`.split('\n')) expect(line.length).toBeLessThanOrEqual(76);
    expect(text.replace(/\s+/g, ' ')).toContain(
      'become a member of Acme Robotics on Guildhall. The invitation is for this',
    );
  });

  it.each([
    ['Your invoice http://evil.test', 'Your invoice http://evil.test'],
    ['Acme" on Guildhall: pay now “here”', "Acme' on Guildhall: pay now 'here'"],
    ['\u202eevil\u202c\u200b\r\nBcc:\u2028 x', 'evil Bcc: x'],
    ['é'.repeat(61), `${'é'.repeat(59)}…`],
    ['é'.repeat(60), 'é'.repeat(60)],
  ])('quote the name %j in their subjects', (workspace, shown) => {
    const letter = { ...occasion, workspace, link };
    expect(invitationLetter(letter).subject).toBe(`Invitation to the workspace "${shown}" on Guildhall`);
    expect(guestInvitationLetter({ ...letter, place: workspace }).subject).toBe(
      `Invitation to "${shown}" in the workspace "${shown}" on Guildhall`,
    );
    expect(passwordResetLetter(letter).subject).toBe(`Choose a new password for "${shown}"`);
    expect(passwordChangedLetter(letter).subject).toBe(`Your password for "${shown}" was changed`);
    expect(noticeLetter(letter, { subject: 'News', paragraphs: ['', ''] }).subject).toBe(`News ("${shown}")`);
  });

  it('let no name begin a line or an element of its own', () => {
    const hostile = fc.string({ unit: fc.constantFrom('\r', '\n', '\u2028', '<', '>', '"', '&', 'a', ':') });
    fc.assert(
      fc.property(hostile, hostile, (name, workspace) => {
        const letter = invitationLetter({ to: occasion.to, name, workspace, link });
        const plain = invitationLetter({ ...occasion, link });
        expect(letter.subject).not.toMatch(/[\r\n\u2028]/);
        expect(letter.text).not.toMatch(/[\r\u2028]/);
        expect(letter.text.split('\n\n')).toHaveLength(plain.text.split('\n\n').length);
        expect(letter.html.match(/</g)).toHaveLength(plain.html.match(/</g)!.length);
      }),
    );
  });
});
