/** Lower case of a dotless i's capital would be an i with a dot, so it stays as it is. */
const DOTLESS_I = 'ı';

/** There and back again finds what either way alone keeps apart (`ß`, `ẞ`, `SS`); each letter alone, because a sigma looks around. */
const foldLetter = (letter: string): string =>
  letter === DOTLESS_I ? letter : letter.toLowerCase().toUpperCase().toLowerCase();

/**
 * The name under which an account is found, counted and invited, whatever way its e-mail address is spelt: NFKC and full case
 * folding. Two spellings that are one account for anybody are one account for everybody.
 */
export function foldAccountName(email: string): string {
  let folded = '';
  for (const letter of email.normalize('NFKC')) folded += foldLetter(letter);
  return folded.normalize('NFKC');
}
