/** Turn the reading direction or cannot be seen: with them a name can pretend to be another. */
const DECEIVING =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
const LONGEST = 200;
const LONGEST_ENDING = 20;

/** The sender's name for a file as one plain line: no folders, nothing that cannot be seen, at most 200 characters. */
export function cleanFileName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1)!;
  const name = last.normalize('NFC').replace(DECEIVING, '').replace(/\s+/g, ' ').trim();
  if (/^\.*$/.test(name)) return 'file';
  const letters = [...name];
  if (letters.length <= LONGEST) return name;
  const ending = /\.[^.]+$/.exec(name)?.[0] ?? '';
  const kept = ending.length <= LONGEST_ENDING ? [...ending] : [];
  return [...letters.slice(0, LONGEST - kept.length), ...kept].join('');
}

/** `Content-Disposition` with the name as every browser reads it (RFC 6266), whatever letters it has. */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^ !#-$&-[\]-~]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
