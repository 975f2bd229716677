import type { Letter } from '../../../platform/mail/mail-out.js';

interface Occasion {
  to: string;
  /** The person who reads it; empty when they have no name yet. */
  name: string;
  workspace: string;
}

export const passwordResetLetter = (occasion: Occasion & { link: string }): Letter =>
  composeLetter(occasion, {
    subject: `Choose a new password for ${quote(occasion.workspace)}`,
    paragraphs: [
      `An admin of ${occasion.workspace} asked Guildhall to send you a link to choose a new password. The link works once, for one hour:`,
      'Until you use it your old password keeps working. If you do not want a new password, there is nothing to do.',
    ],
    action: { label: 'Choose a new password', link: occasion.link },
  });

export const forgottenPasswordLetter = (occasion: Pick<Occasion, 'to' | 'name'> & { link: string }): Letter =>
  composeLetter(
    { ...occasion, workspace: 'Guildhall' },
    {
      subject: 'Choose a new password for Guildhall',
      paragraphs: [
        'Somebody, most likely you, asked for a link to choose a new password for your Guildhall account. The link works once, for one hour:',
        'Until it is used your old password keeps working. If it was not you, there is nothing to do.',
      ],
      action: { label: 'Choose a new password', link: occasion.link },
    },
  );

export const proofLetter = (occasion: Pick<Occasion, 'to' | 'name'> & { code: string }): Letter =>
  composeLetter(
    { ...occasion, workspace: 'Guildhall' },
    {
      subject: 'Your code for Guildhall',
      paragraphs: [
        `Your code is ${occasion.code}. It works once, for ten minutes, where Guildhall asks you to confirm that it is you.`,
        'If you did not ask for it, somebody else may be signed in as you: end your other sessions in the settings of your account.',
      ],
    },
  );

export const factorRemovedLetter = (occasion: Pick<Occasion, 'to' | 'name'>): Letter =>
  composeLetter(
    { ...occasion, workspace: 'Guildhall' },
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

interface Invitation extends Occasion {
  link: string;
  /** Who invites. */
  inviter?: string;
  /** Whether the reader can open something of the workspace already. */
  asGuest?: boolean;
}

export const invitationLetter = (occasion: Invitation): Letter =>
  composeLetter(occasion, {
    subject: `Invitation to the workspace ${quote(occasion.workspace)} on Guildhall`,
    paragraphs: [
      `${invited(occasion)} to become a member of ${occasion.workspace} on Guildhall. The invitation is for this e-mail address alone and works for seven days:`,
      occasion.asGuest
        ? 'Until you accept, everything you can open as a guest stays as it is.'
        : NOTHING_TO_DO,
    ],
    action: { label: 'Accept the invitation', link: occasion.link },
  });

export const guestInvitationLetter = (occasion: Invitation & { place: string }): Letter =>
  composeLetter(occasion, {
    subject: `Invitation to ${quote(occasion.place)} in the workspace ${quote(occasion.workspace)} on Guildhall`,
    paragraphs: [
      `${invited(occasion)} to open ${occasion.place} in ${occasion.workspace} on Guildhall as a guest. The invitation is for this e-mail address alone and works for seven days:`,
      NOTHING_TO_DO,
    ],
    action: { label: 'Accept the invitation', link: occasion.link },
  });

export const passwordChangedLetter = (occasion: Occasion): Letter =>
  composeLetter(occasion, {
    subject: `Your password for ${quote(occasion.workspace)} was changed`,
    paragraphs: [
      `An admin of ${occasion.workspace} has set a new password for your Guildhall account. You were signed out everywhere; your access tokens still work.`,
      'If you did not expect this, ask the admin of your workspace.',
    ],
  });

/** What the service tells an admin of the workspace. */
export const noticeLetter = (
  occasion: Occasion,
  { subject, paragraphs: [first, second] }: { subject: string; paragraphs: [string, string] },
): Letter =>
  composeLetter(occasion, {
    subject: `${subject} (${quote(occasion.workspace)})`,
    paragraphs: [first, second],
  });

interface Content {
  subject: string;
  /** The action stands behind the first one. */
  paragraphs: [string, string];
  action?: { label: string; link: string };
}

/**
 * The same words as text and as HTML. Names are whatever people typed: one line, and never markup.
 * Lines are short, so that a letter travels without being encoded and its link can be read in any tool.
 */
function composeLetter(occasion: Occasion, content: Content): Letter {
  const { action } = content;
  const greeting = singleLine(occasion.name ? `Hello ${occasion.name},` : 'Hello,');
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
    to: occasion.to,
    subject: singleLine(content.subject),
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body>\n${html.map(wrapElement).join('\n')}\n</body>\n</html>\n`,
  };
}

const wrapElement = (paragraph: string): string => `<p>\n${wrap(paragraph)}\n</p>`;

/** Breaks at spaces, before the line grows over 72 characters. */
const wrap = (paragraph: string): string =>
  paragraph
    .split('\n')
    .map((line) => line.replace(/(.{1,72})(?: +|$)/g, '$1\n').trimEnd())
    .join('\n');

const LONGEST_QUOTE = 60;

/** In a subject, a name that people typed is not to be read as words of ours: it stays between its quotes, and is short. */
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
