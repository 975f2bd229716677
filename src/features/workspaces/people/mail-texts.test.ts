import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  guestInvitationMail,
  invitationMail,
  noticeMail,
  passwordChangedMail,
  passwordResetMail,
} from './mail-texts.js';

const recipient = { to: 'ada@example.test', name: 'Ada', workspace: 'Acme Robotics' };
const link = 'https://guildhall.example/reset-password?token=a-b_c';

describe('Mail texts', () => {
  it('have lines of at most 76 characters, so that no transfer encoding is needed', () => {
    const short = 'http://127.0.0.1:8080/invitations/abcdefghijklmnopqrstuvwxyz012345';
    const { text, html } = invitationMail({ ...recipient, link: short });
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
    const letter = { ...recipient, workspace, link };
    expect(invitationMail(letter).subject).toBe(`Invitation to the workspace "${shown}" on Guildhall`);
    expect(guestInvitationMail({ ...letter, place: workspace }).subject).toBe(
      `Invitation to "${shown}" in the workspace "${shown}" on Guildhall`,
    );
    expect(passwordResetMail(letter).subject).toBe(`Choose a new password for "${shown}"`);
    expect(passwordChangedMail(letter).subject).toBe(`Your password for "${shown}" was changed`);
    expect(noticeMail(letter, { subject: 'News', paragraphs: ['', ''] }).subject).toBe(`News ("${shown}")`);
  });

  it('let no name start a line or an element of its own', () => {
    const hostile = fc.string({ unit: fc.constantFrom('\r', '\n', '\u2028', '<', '>', '"', '&', 'a', ':') });
    fc.assert(
      fc.property(hostile, hostile, (name, workspace) => {
        const letter = invitationMail({ to: recipient.to, name, workspace, link });
        const plain = invitationMail({ ...recipient, link });
        expect(letter.subject).not.toMatch(/[\r\n\u2028]/);
        expect(letter.text).not.toMatch(/[\r\u2028]/);
        expect(letter.text.split('\n\n')).toHaveLength(plain.text.split('\n\n').length);
        expect(letter.html.match(/</g)).toHaveLength(plain.html.match(/</g)!.length);
      }),
    );
  });
});
