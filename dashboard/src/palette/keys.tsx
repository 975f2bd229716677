const NAMES: Record<string, string> = {
  mod: /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
  Escape: 'Esc',
};

/** Formats keys as they are labeled on a keyboard: `g b` is a sequence, `mod+k` a combination. */
export function Keys({ keys }: { keys: string }) {
  const parts = keys
    .split(' ')
    .flatMap((stroke) => stroke.split('+').map((key) => NAMES[key] ?? key.toUpperCase()));
  return (
    <span className="keys">
      {parts.map((key, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice
        <kbd key={at}>{key}</kbd>
      ))}
    </span>
  );
}
