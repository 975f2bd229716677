import { existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type DeskFiles, readIfThere, remove, removeTree, writeDurably, writeWhole } from '../desk-files.js';
import { isProcess, type ProcessIdentity } from '../runner/process-tree.js';
import { isBuildUser } from '../runner/user-ledger.js';
import {
  type FinishReport,
  isBuildId,
  parseObject,
  type StartedBuild,
  type Usage,
} from '../work/build-protocol.js';

/** The fate of a build's commits; written once, before the finish is sent. */
const FATES = ['received', 'none', 'refused'] as const;
export type CommitsFate = (typeof FATES)[number];

export interface Done {
  at: string;
  /** `abandoned`: the claim was lost, so the service no longer expects a result. */
  how: 'finished' | 'abandoned';
  commits: CommitsFate;
}

export type BuildFolder = ReturnType<typeof buildFolder>;

/**
 * The files of one build. Each completed step leaves a file, so work can resume after a crash. Files are
 * written atomically.
 */
export function buildFolder(files: Pick<DeskFiles, 'work' | 'checkouts'>, buildId: string) {
  const spool = join(files.work, buildId);
  const area = join(files.checkouts, buildId);
  const at = (name: string) => join(spool, name);
  const read = <T>(name: string): T | undefined => parseObject(readIfThere(at(name)) ?? '') as T | undefined;
  const write = (name: string, value: object): void => writeDurably(at(name), JSON.stringify(value), 0o600);
  const clear = (): void => {
    for (const name of readdirSync(spool)) if (name !== 'done.json') remove(at(name));
  };

  return {
    buildId,
    spool,
    /** For other data of a build; also atomic. */
    read,
    write,
    /** The only folder that the coder's user can write to. */
    area,
    checkout: join(area, 'checkout'),
    home: join(area, 'home'),
    tmp: join(area, 'tmp'),
    out: join(area, 'out'),
    log: at('log'),
    baseBundle: at('base.bundle'),
    commitsBundle: at('commits.bundle'),
    /** Replaces the desk's settings folder in the coder's view. */
    veil: at('veil'),

    create(claim: string): void {
      mkdirSync(dirname(files.work), { recursive: true });
      mkdirSync(at('log'), { recursive: true, mode: 0o700 });
      write('order.json', { claim });
    },
    /** Output of the runner that does not belong in the build log. */
    diary: at('runner.log'),
    passwd: at('passwd'),
    claim: (): string | undefined => read<{ claim: string }>('order.json')?.claim,

    started: () => read<StartedBuild>('start.json'),
    keepStarted: (started: StartedBuild): void => write('start.json', started),

    /** The code base whose cache contains the base commit, when nothing was fetched. */
    cachedBase: () => readIfThere(at('base.cached')),
    keepCachedBase: (key: string): void => writeWhole(at('base.cached'), key),

    /** Whether the coder's checkout was ever complete. */
    wasFilled: (): boolean => readIfThere(at('filled')) !== undefined,
    keepFilled: (): void => writeWhole(at('filled'), ''),

    /**
     * Whether the setup has started and not succeeded: the files in the checkout are then not the coder's
     * work.
     */
    isInSetup: (): boolean => readIfThere(at('setup')) !== undefined,
    beginSetup: (): void => writeWhole(at('setup'), ''),
    endSetup: (): void => remove(at('setup')),

    /** The user id for the build, chosen before anything runs; null for the sidecar's own user. */
    uid(): number | null {
      const uid = Number(readIfThere(at('uid')) || Number.NaN);
      return isBuildUser(uid) ? uid : null;
    },
    keepUid: (uid: number | null): void => writeDurably(at('uid'), uid === null ? '' : String(uid)),

    /** The file is written atomically, so an unreadable one means a dead runner. */
    runner: () =>
      read<ProcessIdentity>('runner.json') ??
      (existsSync(at('runner.json')) ? { pid: 0, began: null } : undefined),
    /** False when the build already has a runner: only one of two concurrent ones may run it. */
    claimRunner(runner: ProcessIdentity): boolean {
      const whole = at(`runner.json.${runner.pid}.claim`);
      try {
        writeFileSync(whole, JSON.stringify(runner), { mode: 0o600 });
        linkSync(whole, at('runner.json'));
        return true;
      } catch {
        return false;
      } finally {
        remove(whole);
      }
    },
    replaceRunner: (runner: ProcessIdentity): void => write('runner.json', runner),
    runnerLives(): boolean {
      const runner = read<ProcessIdentity>('runner.json');
      return runner !== undefined && isProcess(runner);
    },

    /** Counts how often a runner took over from a dead one. */
    countSalvage(): number {
      const count = (Number(readIfThere(at('salvages'))) || 0) + 1;
      writeWhole(at('salvages'), String(count));
      return count;
    },

    cancelWanted: (): boolean => readIfThere(at('cancel')) !== undefined,
    /** An empty reason means that a person canceled the build; otherwise the service stopped it. */
    wantCancel: (reason = ''): void => writeWhole(at('cancel'), reason),
    /** The outcome of a build that was canceled or stopped. */
    wantedEnd(): Pick<FinishReport, 'outcome' | 'reason'> {
      const reason = readIfThere(at('cancel'));
      return reason ? { outcome: 'failed', reason } : { outcome: 'canceled' };
    },

    /** Time of the last progress, and usage so far, while the build runs. */
    progressAt: (): string | undefined => readIfThere(at('progress')),
    keepProgress: (moment: string): void => writeWhole(at('progress'), moment),
    /** How much of its plan is done. */
    percent(): number | undefined {
      const text = readIfThere(at('percent'));
      return text === undefined ? undefined : Number(text);
    },
    keepPercent: (percent: number): void => writeWhole(at('percent'), String(percent)),
    usage: () => read<Usage>('usage.json'),
    keepUsage: (usage: Usage): void => writeWhole(at('usage.json'), JSON.stringify(usage)),

    finish: () => read<FinishReport>('finish.json'),
    keepFinish: (report: FinishReport): void => write('finish.json', report),

    commitsFate: () => FATES.find((fate) => fate === readIfThere(at('commits.fate'))),
    keepCommitsFate: (fate: CommitsFate): void => writeDurably(at('commits.fate'), fate),

    done: () => read<Done>('done.json'),
    /** Only the checkout is still useful, and the secrets must go. */
    close(done: Done): void {
      write('done.json', done);
      clear();
    },

    /** Repeats the cleanup of close() in case it was interrupted. */
    clear,

    drop(): void {
      removeTree(area);
      remove(spool);
    },
  };
}

/** Lists the folders of builds and leaves out everything else. */
export function listBuildFolders(files: Pick<DeskFiles, 'work' | 'checkouts'>): BuildFolder[] {
  try {
    return readdirSync(files.work)
      .filter(isBuildId)
      .map((id) => buildFolder(files, id));
  } catch {
    return [];
  }
}
