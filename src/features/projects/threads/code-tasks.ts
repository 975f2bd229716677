import type { DatabaseAddress } from '../../../platform/database/connection/connection.js';

/** What a thread that works on code is given when it starts. */
export interface ThreadSettings {
  address: DatabaseAddress;
  mirrorsDir: string;
}

/** Brings the index of a project to a commit, and stores it. */
export interface IndexTask {
  kind: 'index';
  projectId: string;
  brandId: number;
  indexId: string;
  /** The version, commit and step that the stored index stands at. */
  version: number;
  from: string | null;
  stepCount: number;
  /** null: the repository holds nothing. */
  commit: string | null;
}

/** Finds out what would become of some places of the code. */
export interface ComparisonTask {
  kind: 'compare';
  projectId: string;
  before: string;
  head: string;
  /** Whoever asks has something there: of everything else nothing is told. */
  paths: string[];
}

export type CodeTask = IndexTask | ComparisonTask;

/** What became of the paths that were asked for; those of which nothing is told stay as they are. */
export interface Comparison {
  /** Path before → path after; null: the code would be gone. */
  moved: [path: string, to: string | null][];
  /** Whose content, or for a folder whatever is inside, would change. */
  touched: string[];
}

export interface Progress {
  phase: 'reading' | 'linking' | 'writing';
  done: number;
  total: number;
}

export type ToThread = { kind: 'task'; task: CodeTask } | { kind: 'acknowledged'; now: number };

export type FromThread =
  /** Is answered with the time: a thread has no clock of its own. */
  | { kind: 'progress'; progress: Progress }
  | { kind: 'done'; result: unknown }
  | { kind: 'failed'; failure: Failure };

export type Failure =
  | { reason: 'git'; message: string; exitCode: number | null; complaint: string }
  | { reason: 'overtaken' }
  | { reason: 'fault'; message: string; stack: string | undefined };

/** Another pass stored its result first. */
export class Overtaken extends Error {}

/** The thread ended in the middle of its work: out of memory, out of time, or by a fault of the parsers. */
export class ThreadDied extends Error {
  constructor(reason: string) {
    super(`A thread that works on code ended: ${reason}`);
    this.name = 'ThreadDied';
  }
}
