export type Remote =
  | { kind: 'https' | 'ssh'; url: string }
  /** Still to be judged against the workspace's own folder. */
  | { kind: 'path'; path: string };

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const unsafe = /[\u0000-\u001f\u007f]/;
const scpForm = /^([A-Za-z0-9_][\w.-]*)@(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):([^\s:][^\s]*)$/;

/** What a repository address is, or undefined when it is none that may be attached. */
export function readRemote(text: string): Remote | undefined {
  if (text.trim() === '' || text.startsWith('-') || text.length > 2000 || unsafe.test(text)) return undefined;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return readUrl(text);
  if (text.includes('::')) return undefined;
  const scp = scpForm.exec(text);
  if (scp) return scp[3]!.startsWith('-') || scp[2]!.startsWith('-') ? undefined : { kind: 'ssh', url: text };
  const colon = text.indexOf(':');
  const slash = text.indexOf('/');
  if (colon >= 0 && (slash < 0 || colon < slash)) return undefined;
  return { kind: 'path', path: text };
}

function readUrl(text: string): Remote | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  if (!url.hostname || url.hostname.startsWith('-') || url.username.startsWith('-')) return undefined;
  if (url.password !== '' || url.pathname.length < 2 || url.pathname.startsWith('/-')) return undefined;
  if (url.protocol === 'https:' && url.username === '') return { kind: 'https', url: text };
  if (url.protocol === 'ssh:') return { kind: 'ssh', url: text };
  return undefined;
}

/** The rules of git for branch names, as far as they keep a name from being anything else. */
export function isBranchName(name: string): boolean {
  if (name === '' || name.length > 200 || unsafe.test(name) || /[\s~^:?*[\\]|\.\.|@\{|\/\//.test(name))
    return false;
  if (/^[-/.]|[/.]$|\.lock$/.test(name) || name === '@') return false;
  return !name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'));
}
