import type { Secrets } from '../spool/secret-filter.js';
import type { FinishReport, StartedBuild, Usage } from '../work/build-protocol.js';

/** What a coder needs to know about its build; the paths are as its own user sees them. */
export interface CoderJob {
  started: StartedBuild;
  /** The program, found on this desk. */
  executable: string;
  briefFile: string;
  resultFile: string;
  /** Where a custom coder may say what it has used so far. */
  usageFile: string;
  mcpConfigFile: string;
  /** Where a program's own extension may be put. */
  extensionFile: string;
  /** The profile's model with its provider, for programs that know many. */
  model: string | null;
  /** The checkout that it works in. */
  checkout: string;
  home: string;
  /** Of the desk's own environment, what coders may see. */
  environment: Record<string, string>;
}

export interface CoderCommand {
  command: string[];
  environment: Record<string, string>;
  /** Files that the program reads, by their paths. */
  files?: Record<string, string>;
}

/** How a coder's build ended, by the coder's own words. */
export type Verdict = Omit<FinishReport, 'outcome'> & {
  outcome: 'succeeded' | 'failed';
  /** Why it failed after all if nothing was committed. */
  unchanged?: string;
};

export interface Exit {
  code: number | null;
  signal: string | null;
}

type StepStatus = 'pending' | 'in_progress' | 'completed';

/**
 * What happens in a session, in the model of ACP version 2: an event with the id of an earlier message or tool call updates
 * it, and only `idle` ends a turn.
 */
export type CoderEvent =
  /** `append` adds to the message; `aside` keeps it out of the conversation that is learned from. */
  | { type: 'message'; id: string; text: string; append?: boolean; aside?: boolean }
  | { type: 'tool'; id: string; title?: string; status: StepStatus | 'failed'; output?: string }
  | { type: 'plan'; steps: { text: string; status: StepStatus }[] }
  | { type: 'question'; text: string; answer: string }
  | { type: 'state'; state: 'running' | 'idle' | 'requires_action' }
  /** The program cannot go on; what its session judges says why. */
  | { type: 'end' }
  /** A line of the log that is none of these, with its line end. */
  | { type: 'note'; text: string };

/** What a session has to work with. */
export interface CoderLink {
  job: CoderJob;
  /** The user that owns what the coder writes; null where it is the sidecar's own. */
  uid: number | null;
  secrets: Secrets;
  now(): Date;
  emit(event: CoderEvent): void;
  /** The program's standard input. */
  input: ProgramInput;
}

export interface ProgramInput {
  write(text: string): void;
  end(): void;
}

/** A program at work, from its first byte to its verdict. */
export interface CoderSession {
  /** Without a line end after this many characters, `read` gets a piece of a line. */
  longestLine: number;
  /** Whole lines of the program's standard output. */
  read(text: string): void;
  /** The first text is the brief. */
  send(text: string): void;
  /** False where the program knows no other way to stop than a signal. */
  cancel(): boolean;
  /** What it has used so far, as far as it tells. */
  usage(): Usage | undefined;
  judge(exit: Exit): Verdict;
}

/** One way to run a coder. */
export interface CoderDriver {
  command(job: CoderJob): CoderCommand;
  open(link: CoderLink): CoderSession;
}

export type Settings = StartedBuild['settings'];
export type SettingName = 'model' | 'effort' | 'max_turns' | 'max_steps';

/** Names the settings of the profile that the program cannot take; empty when it takes all of them. */
export function describeIgnored(settings: Settings, taken: readonly SettingName[]): string {
  const wanted: Record<SettingName, unknown> = {
    model: settings.model,
    effort: settings.effort,
    max_turns: settings.maxTurns,
    max_steps: settings.maxSteps,
  };
  const ignored = (Object.keys(wanted) as SettingName[]).filter(
    (name) => wanted[name] && !taken.includes(name),
  );
  return ignored.length > 0 ? `This coder ignores: ${ignored.join(', ')}\n` : '';
}
