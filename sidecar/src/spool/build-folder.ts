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

/** How the commits of a build fared; written once, before the finish is sent. */
const FATES = ['received', 'none', 'refused'] as const;
export type CommitsFate = (typeof FATES)[number];

export interface Done {
  at: string;
  /** `abandoned`: the claim was lost, so nobody waits for this build any more. */
  how: 'finished' | 'abandoned';
  commits: CommitsFate;
}

export type BuildFolder = ReturnType<typeof buildFolder>;

/**
 * What is on disk about one build. Each step leaves a file when it is done, so whoever comes after a crash sees where
 * to go on; a file is there whole or not at all.
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
    /** Whatever else has to be known of it later: whole or not at all, as everything here. */
    read,
    write,
    /** Where the coder lives: the only place that its user can write to. */
    area,
    checkout: join(area, 'checkout'),
    home: join(area, 'home'),
    tmp: join(area, 'tmp'),
    out: join(area, 'out'),
    log: at('log'),
    baseBundle: at('base.bundle'),
    commitsBundle: at('commits.bundle'),
    /** Takes the place of the desk's settings in the coder's view. */
    veil: at('veil'),

    create(claim: string): void {
      mkdirSync(dirname(files.work), { recursive: true });
      mkdirSync(at('log'), { recursive: true, mode: 0o700 });
      write('order.json', { claim });
    },
    /** What the runner has to say that is not for the log of the build. */
    diary: at('runner.log'),
    passwd: at('passwd'),
    claim: (): string | undefined => read<{ claim: string }>('order.json')?.claim,

    started: () => read<StartedBuild>('start.json'),
    keepStarted: (started: StartedBuild): void => write('start.json', started),

    /** The code base whose cache holds what the build starts from, when nothing had to be fetched. */
    cachedBase: () => readIfThere(at('base.cached')),
    keepCachedBase: (key: string): void => writeWhole(at('base.cached'), key),

    /** Whether the coder ever had a whole checkout. */
    wasFilled: (): boolean => readIfThere(at('filled')) !== undefined,
    keepFilled: (): void => writeWhole(at('filled'), ''),

    /** Whether its setup has begun and did not go well yet: what lies in the checkout then is nobody's work. */
    isInSetup: (): boolean => readIfThere(at('setup')) !== undefined,
    beginSetup: (): void => writeWhole(at('setup'), ''),
    endSetup: (): void => remove(at('setup')),

    /** The user that the build runs as; null where it runs as the sidecar's own. Chosen before anything runs. */
    uid(): number | null {
      const uid = Number(readIfThere(at('uid')) || Number.NaN);
      return isBuildUser(uid) ? uid : null;
    },
    keepUid: (uid: number | null): void => writeDurably(at('uid'), uid === null ? '' : String(uid)),

    /** One that cannot be read is one that died: a runner is written down whole. */
    runner: () =>
      read<ProcessIdentity>('runner.json') ??
      (existsSync(at('runner.json')) ? { pid: 0, began: null } : undefined),
    /** False when a build has a runner already: of two that start at once, only one may run it. */
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

    /** How often somebody took over from a runner that died. */
    countSalvage(): number {
      const count = (Number(readIfThere(at('salvages'))) || 0) + 1;
      writeWhole(at('salvages'), String(count));
      return count;
    },

    cancelWanted: (): boolean => readIfThere(at('cancel')) !== undefined,
    /** Without a reason somebody canceled it; with one the service had it stopped. */
    wantCancel: (reason = ''): void => writeWhole(at('cancel'), reason),
    /** How a build ended that was not left to end by itself. */
    wantedEnd(): Pick<FinishReport, 'outcome' | 'reason'> {
      const reason = readIfThere(at('cancel'));
      return reason ? { outcome: 'failed', reason } : { outcome: 'canceled' };
    },

    /** When it last got on with something, and what it has used: for as long as it runs. */
    progressAt: (): string | undefined => readIfThere(at('progress')),
    keepProgress: (moment: string): void => writeWhole(at('progress'), moment),
    usage: () => read<Usage>('usage.json'),
    keepUsage: (usage: Usage): void => writeWhole(at('usage.json'), JSON.stringify(usage)),

    finish: () => read<FinishReport>('finish.json'),
    keepFinish: (report: FinishReport): void => write('finish.json', report),

    commitsFate: () => FATES.find((fate) => fate === readIfThere(at('commits.fate'))),
    keepCommitsFate: (fate: CommitsFate): void => writeDurably(at('commits.fate'), fate),

    done: () => read<Done>('done.json'),
    /** Nothing but the checkout is of use from here on, and the secrets are not. */
    close(done: Done): void {
      write('done.json', done);
      clear();
    },

    /** Again what closing does, should it have been cut off. */
    clear,

    drop(): void {
      removeTree(area);
      remove(spool);
    },
  };
}

/** Every build that this desk has a folder for; whatever else lies there is not ours to touch. */
export function listBuildFolders(files: Pick<DeskFiles, 'work' | 'checkouts'>): BuildFolder[] {
  try {
    return readdirSync(files.work)
      .filter(isBuildId)
      .map((id) => buildFolder(files, id));
  } catch {
    return [];
  }
}
