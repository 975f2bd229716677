import { readBuildFile } from '../runner/build-files.js';
import type { Secrets } from '../spool/secret-filter.js';
import { type FinishReport, isRecord, parseObject, type Usage } from '../work/build-protocol.js';
import {
  asCount,
  asText,
  type Coder,
  clipReason,
  clipResult,
  describeExit,
  type Exit,
  isCost,
  type Verdict,
} from './coder.js';

const LARGEST_RESULT_BYTES = 256 * 1024;

/** A wrapper that the owner of the desk provides. */
export const custom: Coder = {
  command: ({ started, executable, briefFile, resultFile, usageFile, environment }) => ({
    // Merge both streams into one pipe, so that the log keeps their order.
    command: ['/bin/sh', '-c', 'exec "$0" 2>&1', executable],
    environment: {
      ...environment,
      GUILDHALL_CODER: started.coder,
      GUILDHALL_MODEL: started.settings.model ?? '',
      GUILDHALL_EFFORT: started.settings.effort ?? '',
      GUILDHALL_BRIEF: briefFile,
      GUILDHALL_MCP_URL: started.mcp.url,
      GUILDHALL_RESULT: resultFile,
      GUILDHALL_USAGE: usageFile,
      ...(started.reads_only && { GUILDHALL_KIND: 'review' }),
    },
  }),
};

export const readResultFile = (uid: number | null, path: string): string | undefined =>
  readBuildFile(uid, path, LARGEST_RESULT_BYTES);

const LARGEST_USAGE_BYTES = 4096;

/** A half-written file is read again on the next pass. */
export const readUsageFile = (uid: number | null, path: string): Usage | undefined =>
  readUsage(parseObject(readBuildFile(uid, path, LARGEST_USAGE_BYTES) ?? ''));

/** Judges the build by the result file, or by the exit code without one. */
export function judgeResultFile(text: string | undefined, exit: Exit, secrets: Secrets): Verdict {
  if (text === undefined) {
    return exit.code === 0
      ? { outcome: 'succeeded' }
      : { outcome: 'failed', reason: `The coder ended ${describeExit(exit)}` };
  }
  const data = secrets.maskAll(parseObject(text));
  const review = data && readReview(data);
  // A written review implies success.
  const outcome = asText(data?.['outcome']) || (review ? 'succeeded' : '');
  if (!data || !['succeeded', 'failed'].includes(outcome))
    return { outcome: 'failed', reason: 'The result file of the coder cannot be read' };
  const reason = clipReason(asText(data['reason']));
  const result = clipResult(asText(data['result']));
  const usage = readUsage(data['usage']);
  return {
    outcome: outcome as Verdict['outcome'],
    ...(reason && { reason }),
    ...(result && { result }),
    ...(review && { review }),
    ...(usage && { usage }),
  };
}

const MOST_COMMENTS = 50;

function readReview({ verdict, comments }: Record<string, unknown>): FinishReport['review'] {
  if (typeof verdict !== 'string') return undefined;
  return { verdict, comments: Array.isArray(comments) ? comments.slice(0, MOST_COMMENTS) : [] };
}

function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const cost = value['cost_usd'];
  return {
    tokens_in: asCount(value['tokens_in']),
    tokens_out: asCount(value['tokens_out']),
    ...(isCost(cost) && { cost_usd: cost }),
  };
}
