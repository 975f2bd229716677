import type { OutgoingMail } from '../../../platform/mail/mail-out.js';

interface Recipient {
  to: string;
  name: string;
  workspace: string;
}

export const passwordResetMail = (recipient: Recipient & { link: string }): OutgoingMail =>
  composeMail(recipient, {
    subject: `Choose a new password for ${quote(recipient.workspace)}`,
    paragraphs: [
      `An admin of ${recipient.workspace} asked Guildhall to send you a link to choose a new password. The link works once, for one hour:`,
      'Until you use it your old password keeps working. If you do not want a new password, there is nothing to do.',
    ],
    action: { label: 'Choose a new password', link: recipient.link },
  });

export const forgottenPasswordMail = (
  recipient: Pick<Recipient, 'to' | 'name'> & { link: string },
): OutgoingMail =>
  composeMail(
    { ...recipient, workspace: 'Guildhall' },
    {
      subject: 'Choose a new password for Guildhall',
      paragraphs: [
        'Someone, probably you, requested a link to choose a new password for your Guildhall account. The link works once, for one hour:',
        'Until it is used your old password keeps working. If it was not you, there is nothing to do.',
      ],
      action: { label: 'Choose a new password', link: recipient.link },
    },
  );

export const proofMail = (recipient: Pick<Recipient, 'to' | 'name'> & { code: string }): OutgoingMail =>
  composeMail(
    { ...recipient, workspace: 'Guildhall' },
    {
      subject: 'Your code for Guildhall',
      paragraphs: [
        `Your code is ${recipient.code}. It works once, for ten minutes, where Guildhall asks you to confirm that it is you.`,
        'If you did not ask for it, someone else may be signed in as you: end your other sessions in the settings of your account.',
      ],
    },
  );

export const factorRemovedMail = (recipient: Pick<Recipient, 'to' | 'name'>): OutgoingMail =>
  composeMail(
    { ...recipient, workspace: 'Guildhall' },
    {
      subject: 'Two-factor sign-in was removed from your Guildhall account',
      paragraphs: [
        'The operator of this Guildhall has removed two-factor sign-in from your account, and you were signed out everywhere. Your access tokens still work.',
        'Set it up again after you have signed in. If you did not ask for this, tell the admin of your workspace at once.',
      ],
    },
  );

const NOTHING_TO_DO = 'If you did not expect this, there is nothing to do.';

const invited = ({ inviter }: { inviter?: string }): string =>
  inviter ? `${inviter} invites you` : 'You are invited';

interface Invitation extends Recipient {
  link: string;
  inviter?: string;
  asGuest?: boolean;
}

export const invitationMail = (recipient: Invitation): OutgoingMail =>
  composeMail(recipient, {
    subject: `Invitation to the workspace ${quote(recipient.workspace)} on Guildhall`,
    paragraphs: [
      `${invited(recipient)} to become a member of ${recipient.workspace} on Guildhall. The invitation is for this e-mail address alone and works for seven days:`,
      recipient.asGuest
        ? 'Until you accept, everything you can open as a guest stays as it is.'
        : NOTHING_TO_DO,
    ],
    action: { label: 'Accept the invitation', link: recipient.link },
  });

export const guestInvitationMail = (recipient: Invitation & { place: string }): OutgoingMail =>
  composeMail(recipient, {
    subject: `Invitation to ${quote(recipient.place)} in the workspace ${quote(recipient.workspace)} on Guildhall`,
    paragraphs: [
      `${invited(recipient)} to open ${recipient.place} in ${recipient.workspace} on Guildhall as a guest. The invitation is for this e-mail address alone and works for seven days:`,
      NOTHING_TO_DO,
    ],
    action: { label: 'Accept the invitation', link: recipient.link },
  });

export const passwordChangedMail = (recipient: Recipient): OutgoingMail =>
  composeMail(recipient, {
    subject: `Your password for ${quote(recipient.workspace)} was changed`,
    paragraphs: [
      `An admin of ${recipient.workspace} has set a new password for your Guildhall account. You were signed out everywhere; your access tokens still work.`,
      'If you did not expect this, ask the admin of your workspace.',
    ],
  });

export const noticeMail = (
  recipient: Recipient,
  { subject, paragraphs: [first, second] }: { subject: string; paragraphs: [string, string] },
): OutgoingMail =>
  composeMail(recipient, {
    subject: `${subject} (${quote(recipient.workspace)})`,
    paragraphs: [first, second],
  });

interface Content {
  subject: string;
  /** The action is placed after the first paragraph. */
  paragraphs: [string, string];
  action?: { label: string; link: string };
}

/**
 * Names are untrusted: they stay on one line and are never markup. Lines are short, so that the mail needs no
 * encoding and its link can be copied from any tool.
 */
function composeMail(recipient: Recipient, content: Content): OutgoingMail {
  const { action } = content;
  const greeting = singleLine(recipient.name ? `Hello ${recipient.name},` : 'Hello,');
  const [first, second] = content.paragraphs.map(singleLine) as [string, string];
  const text = [wrap(greeting), wrap(first), ...(action ? [action.link] : []), wrap(second), 'Guildhall'];
  const link = action && `<a\nhref="${escapeHtml(action.link)}"\n>${escapeHtml(action.label)}</a>`;
  const html = [
    ...[greeting, first].map(escapeHtml),
    ...(link ? [link] : []),
    escapeHtml(second),
    'Guildhall',
  ];
  return {
    to: recipient.to,
    subject: singleLine(content.subject),
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${html.map(wrapElement).join('\n')}\n</body>\n</html>\n`,
  };
}

const wrapElement = (paragraph: string): string => `<p>\n${wrap(paragraph)}\n</p>`;

const wrap = (paragraph: string): string =>
  paragraph
    .split('\n')
    .map((line) => line.replace(/(.{1,72})(?: +|$)/g, '$1\n').trimEnd())
    .join('\n');

const LONGEST_QUOTE = 60;

/** Keeps a name in the subject inside its quotes and short, so that it cannot pose as our own words. */
function quote(name: string): string {
  const letters = [
    ...name
      .toWellFormed()
      .replace(/[\p{Cf}\p{Co}\p{Cn}]+/gu, '')
      .replace(/["“”„‟«»＂]/g, "'")
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  ];
  const isLong = letters.length > LONGEST_QUOTE;
  return `"${isLong ? `${letters.slice(0, LONGEST_QUOTE - 1).join('')}…` : letters.join('')}"`;
}

const singleLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
