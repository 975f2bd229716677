import { CODERS, type Coder } from '../../kernel/plans.js';

export const TASK_TYPES = ['coding', 'docs', 'research', 'design', 'test'] as const;
export type TaskType = (typeof TASK_TYPES)[number];
export type Tier = TaskType | 'hard';

/** What stops a build that goes in circles, in the coder's own unit. */
export interface Guard {
  unit: 'turns' | 'steps';
  value: number;
}

export interface CatalogProfile {
  key: string;
  coder: Coder;
  tier: Tier;
  model: string | null;
  effort: string;
  guard: Guard | null;
  wallMinutes: number | null;
  env: Record<string, string> | null;
  recommendedFor: string[];
  reason: string;
}

/** The platform's values. `-` is null: the coder's own default, no guard, or the desk's own time limit. */
const TABLE = `
key               | model           | effort | guard     | minutes | env                    | reason
claude.coding     | claude-sonnet-5 | medium | 200 turns | -       | -                      | Sonnet at medium effort finishes most changes; 200 turns leave room for a test run after each edit.
claude.docs       | claude-sonnet-5 | low    | 80 turns  | -       | -                      | Writing needs little deliberation; a text that is not done after 80 turns is being rewritten in circles.
claude.research   | claude-sonnet-5 | medium | 120 turns | -       | -                      | Reading widely costs turns, not thought; 120 cover a large repository.
claude.design     | claude-opus-5-5 | high   | 150 turns | -       | -                      | A wrong design is paid for in every later card, so it gets the stronger model and high effort.
claude.test       | claude-sonnet-5 | medium | 150 turns | -       | -                      | Tests are written in short loops; 150 turns allow many runs without letting a flaky one run forever.
claude.hard       | claude-opus-5-5 | max    | 400 turns | 180     | -                      | Everything the coder has: the strongest model, maximum effort, twice the turns and three hours.
codex.coding      | -               | medium | -         | -       | -                      | The account's own model changes without notice; medium effort has been enough for ordinary changes.
codex.docs        | -               | low    | -         | -       | -                      | Prose gains nothing from long reasoning.
codex.research    | -               | medium | -         | -       | -                      | Medium effort follows references well without stalling on each of them.
codex.design      | -               | high   | -         | -       | -                      | Weighing alternatives is what high effort is for.
codex.test        | -               | medium | -         | -       | -                      | Medium effort finds the edge cases that the code shows.
codex.hard        | -               | high   | -         | 180     | -                      | The highest effort that the account default takes, and three hours to use it.
openhands.coding  | -               | medium | 250 steps | -       | venv=fresh browser=off | Each command is a step, so a change with its tests needs about 250.
openhands.docs    | -               | low    | 100 steps | -       | venv=reuse browser=off | Documents need few commands; the environment of an earlier build will do.
openhands.research| -               | medium | 150 steps | -       | venv=reuse browser=on  | Reading sources needs the browser and no environment of its own.
openhands.design  | -               | high   | 200 steps | -       | venv=reuse browser=on  | Designs are tried out in small experiments; 200 steps hold several.
openhands.test    | -               | medium | 200 steps | -       | venv=fresh browser=off | A fresh environment keeps what an earlier build installed from making a test pass.
openhands.hard    | -               | high   | 500 steps | 180     | venv=fresh browser=on  | Twice the steps of a coding card, every tool, and three hours.
opencode.coding   | MiniMax-M3      | medium | 150 steps | -       | -                      | MiniMax-M3 takes larger steps than most models; 150 equal about 250 elsewhere.
opencode.docs     | MiniMax-M3      | low    | 80 steps  | -       | -                      | Low effort writes as well and answers sooner.
opencode.research | MiniMax-M3      | medium | 120 steps | -       | -                      | 120 steps read a large repository once; more means that it reads it again.
opencode.design   | MiniMax-M3      | high   | 150 steps | -       | -                      | High effort compares before it commits to one way.
opencode.test     | MiniMax-M3      | medium | 120 steps | -       | -                      | A suite that does not pass after 120 steps needs a person's look.
opencode.hard     | MiniMax-M3      | high   | 300 steps | 180     | -                      | Twice the steps and three hours for what an ordinary card did not finish.
pi.coding         | MiniMax-M3      | medium | -         | -       | -                      | The coder stops by itself when it makes no progress, so it needs no guard.
pi.docs           | MiniMax-M3      | low    | -         | -       | -                      | Low effort keeps short texts short.
pi.research       | MiniMax-M3      | medium | -         | -       | -                      | Medium effort cites what it found; low effort tends to leave sources out.
pi.design         | MiniMax-M3      | high   | -         | -       | -                      | High effort names the drawbacks of what it proposes.
pi.test           | MiniMax-M3      | medium | -         | -       | -                      | Medium effort keeps test and fixture apart.
pi.hard           | MiniMax-M3      | high   | -         | 180     | -                      | The longest time a profile asks for, at the highest effort the coder takes.
`;

const HARD_RECOMMENDATION =
  'A card that an ordinary profile left unfinished, or one that reaches through many modules.';

function readRow(row: string): CatalogProfile {
  const [key, model, effort, guard, minutes, env, reason] = row.split('|').map((cell) => cell.trim());
  const [coder, tier] = key!.split('.') as [Coder, Tier];
  return {
    key: key!,
    coder,
    tier,
    model: model === '-' ? null : model!,
    effort: effort!,
    guard: readGuard(guard!),
    wallMinutes: minutes === '-' ? null : Number(minutes),
    env: env === '-' ? null : Object.fromEntries(env!.split(' ').map((pair) => pair.split('='))),
    recommendedFor: [tier === 'hard' ? HARD_RECOMMENDATION : tier],
    reason: reason!,
  };
}

function readGuard(cell: string): Guard | null {
  const [value, unit] = cell.split(' ');
  return cell === '-' ? null : { value: Number(value), unit: unit as Guard['unit'] };
}

export const CATALOG: readonly CatalogProfile[] = TABLE.trim().split('\n').slice(1).map(readRow);

const byKey = new Map(CATALOG.map((profile) => [profile.key, profile]));

export const findProfile = (key: string): CatalogProfile | undefined => byKey.get(key);

/** Whether any plan knows the profile. */
export const isProfileKey = (key: string): boolean => byKey.has(key);

/** The coder that a caller names, in a profile key's spelling or in the `coder` field's. */
export const findCoder = (name: string): Coder | undefined =>
  name === 'claude_code' ? 'claude' : CODERS.find((coder) => coder === name);

export const publicCoder = (coder: Coder): string => (coder === 'claude' ? 'claude_code' : coder);
