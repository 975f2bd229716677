import { readBuildFile } from '../runner/build-files.js';
import type { Secrets } from '../spool/secret-filter.js';
import { isRecord, parseObject, type Usage } from '../work/build-protocol.js';
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

/** Whatever the owner of the desk put in the coder's place. */
export const custom: Coder = {
  command: ({ started, executable, briefFile, resultFile, environment }) => ({
    // Into one pipe, so that the log has what it says and what it complains about in the order of the coder's own words.
    command: ['/bin/sh', '-c', 'exec "$0" 2>&1', executable],
    environment: {
      ...environment,
      GUILDHALL_CODER: started.coder,
      GUILDHALL_MODEL: started.settings.model ?? '',
      GUILDHALL_EFFORT: started.settings.effort ?? '',
      GUILDHALL_BRIEF: briefFile,
      GUILDHALL_MCP_URL: started.mcp.url,
      GUILDHALL_RESULT: resultFile,
    },
  }),
};

export const readResultFile = (uid: number | null, path: string): string | undefined =>
  readBuildFile(uid, path, LARGEST_RESULT_BYTES);

/** By the file that the coder may have written; without one its exit code says how it ended. */
export function judgeResultFile(text: string | undefined, exit: Exit, secrets: Secrets): Verdict {
  if (text === undefined) {
    return exit.code === 0
      ? { outcome: 'succeeded' }
      : { outcome: 'failed', reason: `The coder ended ${describeExit(exit)}` };
  }
  const data = secrets.maskAll(parseObject(text));
  if (!data || !['succeeded', 'failed'].includes(asText(data['outcome'])))
    return { outcome: 'failed', reason: 'The result file of the coder cannot be read' };
  const reason = clipReason(asText(data['reason']));
  const result = clipResult(asText(data['result']));
  const usage = readUsage(data['usage']);
  return {
    outcome: data['outcome'] as Verdict['outcome'],
    ...(reason && { reason }),
    ...(result && { result }),
    ...(usage && { usage }),
  };
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
