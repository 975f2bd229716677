import { domainToASCII, domainToUnicode } from 'node:url';

/** Lower case of a dotless i's capital would be an i with a dot, so it stays as it is. */
const DOTLESS_I = 'ı';

/** There and back again finds what either way alone keeps apart (`ß`, `ẞ`, `SS`); each letter alone, because a sigma looks around. */
const foldLetter = (letter: string): string =>
  letter === DOTLESS_I ? letter : letter.toLowerCase().toUpperCase().toLowerCase();

/** NFKC and full case folding: texts that read the same are the same. */
export function foldText(text: string): string {
  let folded = '';
  for (const letter of text.normalize('NFKC')) folded += foldLetter(letter);
  return folded.normalize('NFKC');
}

const splitAddress = (email: string): [mailbox: string, domain: string] => {
  const at = email.lastIndexOf('@') + 1;
  return [email.slice(0, at), email.slice(at)];
};

/**
 * The name under which attempts on an account are counted, and of which there is one account only, however its e-mail address is
 * spelled. It does not prove that two addresses are one person's: see `isSameAddress`.
 */
export function foldAccountName(email: string): string {
  const [mailbox, domain] = splitAddress(email);
  return foldText(/xn--/i.test(domain) ? mailbox + (domainToUnicode(domain) || domain) : email);
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const IS_ASCII = /^[\0-\x7f]*$/;

/** A domain as name servers know it (IDNA), in lower case. */
export function canonicalDomain(domain: string): string {
  const isPlain = IS_ASCII.test(domain) || domain.includes('%');
  return (isPlain ? '' : domainToASCII(domain)) || lowerAscii(domain);
}

/** Whether mail to both goes to one mailbox. Only the case of ASCII letters and the spelling of the domain may differ. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((email) => {
    const [mailbox, domain] = splitAddress(email);
    return lowerAscii(mailbox) + canonicalDomain(domain);
  });
  return first === second;
}
