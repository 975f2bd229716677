import { readBuildFile } from '../runner/build-files.js';
import type { Secrets } from '../spool/secret-filter.js';
import { type FinishReport, isRecord, parseObject, type Usage } from '../work/build-protocol.js';
import { asCount, asText, clipReason, clipResult, describeExit, isCost } from './coder.js';
import type { CoderDriver, CoderLink, CoderSession, Exit, Verdict } from './driver.js';

const LARGEST_RESULT_BYTES = 256 * 1024;

/** A wrapper that the owner of the desk provides. */
export const custom: CoderDriver = {
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

  open: openCustom,
};

const LARGEST_USAGE_BYTES = 4096;
const LONGEST_PIECE = 64 * 1024;

/** The log is the wrapper's output without changes. The result comes from a file. */
function openCustom({ job, uid, secrets, emit, input }: CoderLink): CoderSession {
  return {
    longestLine: LONGEST_PIECE,
    read: (text) => emit({ type: 'note', text }),
    send(text) {
      input.write(text);
      input.end();
    },
    cancel: () => false,
    /** A half-written file counts as no usage; the next call reads it again. */
    usage: () => readUsage(parseObject(readBuildFile(uid, job.usageFile, LARGEST_USAGE_BYTES) ?? '')),
    judge: (exit) => judgeResultFile(readBuildFile(uid, job.resultFile, LARGEST_RESULT_BYTES), exit, secrets),
  };
}

/** Judges the build by the result file, or by the exit code without one. */
function judgeResultFile(text: string | undefined, exit: Exit, secrets: Secrets): Verdict {
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

/** Tokens that the coder does not count are unknown (null), not zero. */
function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const { cost_usd, tokens_in, tokens_out } = value;
  const cost = isCost(cost_usd) && { cost_usd };
  if (tokens_in === undefined && tokens_out === undefined)
    return cost ? { tokens_in: null, tokens_out: null, ...cost } : undefined;
  return { tokens_in: asCount(tokens_in), tokens_out: asCount(tokens_out), ...cost };
}
