import type { Secrets } from '../spool/secret-filter.js';
import type { FinishReport, StartedBuild, Usage } from '../work/build-protocol.js';

/** A build as its coder sees it; all paths are valid inside the cell. */
export interface CoderJob {
  started: StartedBuild;
  /** Path of the program on this desk. */
  executable: string;
  briefFile: string;
  resultFile: string;
  /** Where a custom coder can write its usage so far. */
  usageFile: string;
  mcpConfigFile: string;
  /** Where the driver can place an extension for the program. */
  extensionFile: string;
  /** The profile's model with its provider, for programs that support several providers. */
  model: string | null;
  checkout: string;
  home: string;
  /** The part of the desk's environment that coders may see. */
  environment: Record<string, string>;
}

export interface CoderCommand {
  command: string[];
  environment: Record<string, string>;
  /** Contents of files to write for the program, by path. */
  files?: Record<string, string>;
}

/** The outcome of a build as its coder reports it. */
export type Verdict = Omit<FinishReport, 'outcome'> & {
  outcome: 'succeeded' | 'failed';
  /** The reason to fail the build with if the coder committed nothing. */
  unchanged?: string;
};

export interface Exit {
  code: number | null;
  signal: string | null;
}

type StepStatus = 'pending' | 'in_progress' | 'completed';

/**
 * Follows ACP version 2: an event with the id of an earlier message or tool call updates it, and only `idle`
 * ends a turn.
 */
export type CoderEvent =
  /** `append` adds to the message; `aside` keeps it out of the conversation that lessons are learned from. */
  | { type: 'message'; id: string; text: string; append?: boolean; aside?: boolean }
  | { type: 'tool'; id: string; title?: string; status: StepStatus | 'failed'; output?: string }
  | { type: 'plan'; steps: { text: string; status: StepStatus }[] }
  | { type: 'question'; text: string; answer: string }
  | { type: 'state'; state: 'running' | 'idle' | 'requires_action' }
  /** The program cannot continue. The session's verdict has the reason. */
  | { type: 'end' }
  /** Any other text for the log, including its line break. */
  | { type: 'note'; text: string };

export interface CoderLink {
  job: CoderJob;
  /** The user that owns the coder's files; null for the sidecar's own user. */
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

/** A running program, from its first output to its verdict. */
export interface CoderSession {
  /** A line with more characters reaches `read` in pieces without a line break. */
  longestLine: number;
  /** Takes whole lines of the program's standard output. */
  read(text: string): void;
  /** The first text is the brief. */
  send(text: string): void;
  /** False when the program can only be stopped with a signal. */
  cancel(): boolean;
  /** The usage so far; undefined when the program has reported none. */
  usage(): Usage | undefined;
  judge(exit: Exit): Verdict;
}

export interface CoderDriver {
  command(job: CoderJob): CoderCommand;
  open(link: CoderLink): CoderSession;
}

export type Settings = StartedBuild['settings'];
export type SettingName = 'model' | 'effort' | 'max_turns' | 'max_steps';

/** Returns a log line with the profile settings that the program ignores, or an empty string. */
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
