const MASK = '[secret]';

/** Takes secrets out of a text that arrives in pieces; what may be the beginning of one waits for the next piece. */
export function createSecretFilter(secrets: string[]) {
  const known = secrets.filter((secret) => secret.length >= 8);
  let held = '';

  function holdBack(text: string): number {
    let longest = 0;
    for (const secret of known) {
      for (let length = Math.min(secret.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) longest = length;
      }
    }
    return longest;
  }

  return {
    pass(piece: string): string {
      let text = held + piece;
      for (const secret of known) text = text.replaceAll(secret, MASK);
      const keep = holdBack(text);
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },

    end(): string {
      const rest = held;
      held = '';
      return rest;
    },
  };
}
