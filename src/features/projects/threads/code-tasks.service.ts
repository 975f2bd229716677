import type { MessagePort } from 'node:worker_threads';
import { ParserPool } from '../../../code/parsing/parser-pool.js';
import type { Clock } from '../../../kernel/clock.js';
import { silentLog } from '../../../kernel/log.js';
import { connectDatabase } from '../../../platform/database/connection/connection.js';
import type { Db } from '../../../platform/database/database.js';
import { GitError } from '../git/git-program.js';
import { createMirror } from '../git/mirror.js';
import type { IndexFollower } from '../indexing/index-follower.js';
import type { CodeTask, Failure, FromThread, Progress, ThreadSettings, ToThread } from './code-tasks.js';
import { Overtaken } from './code-tasks.js';
import { compareCode } from './comparing.js';
import { createIndexing } from './indexing.js';

export type { ThreadSettings } from './code-tasks.js';

/** Statements of a pass over a large repository take longer than those that anybody waits for. */
const STATEMENT_MS = 5 * 60_000;

/** The work of a thread: one task after the other, each with progress, and a result or a failure at its end. */
export function serveCodeTasks(
  port: MessagePort,
  settings: ThreadSettings,
  openFollower: (deps: { db: Db; clock: Clock }) => IndexFollower,
): void {
  const { db } = connectDatabase({
    ...settings.address,
    poolSize: 2,
    applicationName: 'guildhall-code',
    statementTimeoutMs: STATEMENT_MS,
    log: silentLog,
  });
  let now = new Date(0);
  let awaitingAcknowledgement: (() => void)[] = [];
  const clock: Clock = { now: () => now };
  const send = (message: FromThread) => port.postMessage(message);
  const report = (progress: Progress): Promise<void> => {
    send({ kind: 'progress', progress });
    return new Promise((resolve) => awaitingAcknowledgement.push(resolve));
  };
  const parsers = new ParserPool();
  const mirrorOf = (projectId: string) => createMirror(settings.mirrorsDir, projectId);
  const index = createIndexing({
    db,
    clock,
    parsers,
    mirrorOf,
    follower: openFollower({ db, clock }),
    report,
  });

  const work = (task: CodeTask): Promise<unknown> =>
    task.kind === 'index' ? index(task) : compareCode(task, { mirror: mirrorOf(task.projectId), parsers });

  port.on('message', (message: ToThread) => {
    if (message.kind === 'acknowledged') {
      now = new Date(message.now);
      const acknowledged = awaitingAcknowledgement;
      awaitingAcknowledgement = [];
      for (const resolve of acknowledged) resolve();
      return;
    }
    work(message.task).then(
      (result) => send({ kind: 'done', result }),
      (error: unknown) => send({ kind: 'failed', failure: failureOf(error) }),
    );
  });
}

function failureOf(error: unknown): Failure {
  if (error instanceof Overtaken) return { reason: 'overtaken' };
  if (error instanceof GitError)
    return {
      reason: 'git',
      message: error.message,
      exitCode: error.exitCode,
      complaint: error.complaint,
    };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { reason: 'fault', message, stack };
}
