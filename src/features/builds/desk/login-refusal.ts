/** As Claude Code, Codex and their providers say that a login does not do. */
const REFUSALS = [
  /\bplease run \/login\b/i,
  /\bnot logged in\b/i,
  /\binvalid api key\b/i,
  /\bauthentication_error\b/i,
  /\b(?:api error|status):? 401\b/i,
  /\b401 unauthorized\b/i,
  /\b(?:access|refresh|oauth) token\b.{0,80}\b(?:expired|revoked|already used|could not be refreshed)\b/i,
];
const LONGEST = 1000;

/** Whether a build failed because its coder's login was refused, by the reason that its desk reports. */
export const isLoginRefusal = (reason: string | null | undefined): boolean => {
  const text = (reason ?? '').slice(0, LONGEST);
  return REFUSALS.some((words) => words.test(text));
};
