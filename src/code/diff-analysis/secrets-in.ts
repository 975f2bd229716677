const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_\w{40,}\b|\bglpat-[\w-]{20,}\b/,
  /\bxox[abprs]-[\w-]{10,}\b/,
  /\bsk_live_[A-Za-z0-9]{16,}\b|\brk_live_[A-Za-z0-9]{16,}\b/,
  /\bsk-(?:ant-|proj-)?[\w-]{32,}\b/,
  /\bAIza[\w-]{35}\b/,
  /\beyJ[\w-]{15,500}\.eyJ[\w-]{15,}\.[\w-]{10,}\b/,
  /\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqp):\/\/[^\s:@/]{1,60}:[^\s@/]{6,}@(?!localhost|127\.)/,
];
const ASSIGNED =
  /\b(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|private[_-]?key|client[_-]?secret)\b["']?\s*[:=]\s*["']([^"'\s]{12,200})["']/i;
/** Said to stand for something, and not to be it. */
const EXAMPLE =
  /example|changeme|placeholder|dummy|sample|your[-_]|xxxx|\*{3,}|<[^<>]+>|\$\{|\{\{|test|fake|process\.env|os\.environ/i;

/** How many of these lines look as if a secret stood in them. */
export const countSecrets = (lines: readonly string[]): number =>
  lines.filter((line) => {
    if (SHAPES.some((shape) => shape.test(line))) return true;
    const value = ASSIGNED.exec(line)?.[1];
    return value !== undefined && !EXAMPLE.test(line) && /\d/.test(value) && /[A-Za-z]/.test(value);
  }).length;
