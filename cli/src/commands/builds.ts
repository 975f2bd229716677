import { setTimeout as pause } from 'node:timers/promises';
import {
  type Build,
  GuildhallError,
  type ListBuildsArguments,
  type Question,
  type ReviewBuildArguments,
} from '../../../client/src/index.js';
import { branchOf, buildColumns, ENDED, factsOf, findingsOf } from '../build-facts.js';
import { awaitPush } from '../build-push.js';
import type { Call, Group } from '../command.js';
import { findDeskId } from '../desks.js';
import { broken, EXIT, Failure, misuse } from '../failure.js';
import { findBuildId, findCardId, isCardRef } from '../find.js';
import { given } from '../options.js';
import { COLOURS, cleanLog } from '../output/clean.js';
import { wantsColour } from '../output/colour.js';
import { confirm } from '../prompt.js';
import { buildComments } from './build-comments.js';

const USUALLY_LISTED = 30;
const MOST_A_PAGE = 200;
const PIECES_A_PAGE = 500;

/** A terminal keeps the coder's own colors; a file or pipe gets plain text. */
const logText = ({ out, env }: Call, text: string) =>
  out.text(out.isTerminal ? cleanLog(text, wantsColour(env, true)) : text.replace(COLOURS, ''));

/** Prints the coder's output until the build finishes, and returns the finished build. */
async function follow(call: Call, build_id: string): Promise<Build> {
  const { client } = call.service();
  const waiting = call.out.waiting('Building');
  try {
    for await (const { data } of client.stream('streamBuildLog', { build_id }, { signal: call.signal })) {
      const { text } = data as { text?: unknown };
      if (typeof text !== 'string') continue;
      if (call.out.isData) waiting.around('\n', () => call.out.event(data, text));
      else waiting.around(text, () => logText(call, text));
    }
  } finally {
    waiting.end();
  }
  return awaitChecks(call, build_id);
}

const LOOK_MS = 1_000;

/** Waits until the checks finish, which run after the coder has finished. */
async function awaitChecks(call: Call, build_id: string): Promise<Build> {
  const { client } = call.service();
  const waiting = call.out.waiting('Checking');
  try {
    while (true) {
      const build = await client.getBuild({ build_id }, { signal: call.signal });
      if (build.status !== 'checking') return build;
      await pause(LOOK_MS, undefined, { signal: call.signal });
    }
  } finally {
    waiting.end();
  }
}

const describeEnd = ({ ref, attempt, status, reason }: Build): string =>
  `${ref}, attempt ${attempt}: ${status}${reason ? ` (${reason})` : ''}`;

/** Follows a build and its automatic retries, and returns the last attempt. */
async function followAttempts(call: Call, build_id: string): Promise<Build> {
  const { client } = call.service();
  let build = await follow(call, build_id);
  while (true) {
    // The service creates the next attempt in the transaction that finishes the previous one.
    const { builds } = await client.listBuilds({ task_id: build.task_id }, { signal: call.signal });
    const next = builds.find(({ kind, continues }) => kind === 'build' && continues === build.build_id);
    if (!next) return build;
    call.out.note(describeEnd(build));
    call.out.note(`Attempt ${next.attempt} has started: ${next.build_id}`);
    build = await follow(call, next.build_id);
  }
}

/** Fails unless the build succeeded, so that scripts can rely on the exit code. */
function judge(call: Call, build: Build): void {
  call.out.note(describeEnd(build));
  if (ENDED.includes(build.status) && build.status !== 'succeeded')
    throw broken(
      `The build ended as ${build.status}`,
      `See why with: guildhall builds show ${build.build_id}`,
    );
}

/** Parses `src/billing.ts:12: Use the helper` or `src/billing.ts: Use the helper`. */
function readComment(text: string): NonNullable<ReviewBuildArguments['comments']>[number] {
  const [, path, line, body] = /^([^:]+):(?:(\d+):)?\s*([\s\S]+)$/.exec(text) ?? [];
  if (!path || !body) throw misuse(`A comment is <path>:<line>: <text>, not ${JSON.stringify(text)}`);
  return given({ path, line: line === undefined ? undefined : Number(line), body });
}

/** Adds a hint when the card has no project, because another command fixes that. */
export function explainStart(error: unknown, card: string): unknown {
  if (!(error instanceof GuildhallError) || error.detail !== 'This card has no project') return error;
  const hint = `Give it one with: guildhall cards edit ${card} --project <project>; guildhall projects lists them.`;
  return new Failure(error.message, { code: EXIT.failure, hint, requestId: error.requestId });
}

function explainQuestions(open: Question[]): Failure {
  if (open.length === 0) return broken('No question of this build is open');
  const list = open.map(({ question_id, question }) => `${question_id} ${question}`).join('; ');
  return misuse('Several questions are open', `Name one with --question: ${list}`);
}

interface CoderRow {
  coder: string;
  desk: string;
  version: string | null;
  missing: string | null;
}

const coderColumns = [
  { title: 'coder', of: ({ coder }: CoderRow) => coder },
  { title: 'desk', of: ({ desk }: CoderRow) => desk },
  { title: 'version', of: ({ version }: CoderRow) => version },
  { title: 'ready', of: ({ missing }: CoderRow) => missing ?? 'yes' },
];

export const builds: Group = {
  name: 'builds',
  about: 'Builds of cards by a coder',
  commands: [
    {
      use: 'list',
      about: 'List builds, newest first.',
      examples: ['guildhall builds', 'guildhall builds list --card ENG-12 --json build_id,status'],
      options: [
        ['--card <card>', 'Only builds of this card'],
        ['--status <status>', 'Only builds with this status'],
        ['--desk <desk>', 'Only builds of this desk, by name or id'],
        ['--review <state>', 'Only to_review, rework, accepted or pushed; what waits longest first'],
        ['--limit <n>', 'Maximum number; default 30'],
        ['--all', 'All of them'],
      ],
      async run(call) {
        const { options, signal } = call;
        const card = options.text('card');
        const fields = given({
          task_id: card === undefined ? undefined : await findCardId(call, card),
          status: options.text('status') as Build['status'] | undefined,
          workstation_id: await findDeskId(call),
          review: options.text('review') as ListBuildsArguments['review'],
        });
        const most = options.flag('all')
          ? Number.POSITIVE_INFINITY
          : (options.count('limit') ?? USUALLY_LISTED);
        const found: Build[] = [];
        let cursor: string | undefined;
        let total = 0;
        do {
          const limit = Math.min(most, MOST_A_PAGE);
          const page = await call
            .service()
            .client.listBuilds(given({ ...fields, limit, cursor }), { signal });
          total = page.total;
          found.push(...page.builds);
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined && found.length < most);
        call.out.list(
          found.slice(0, most),
          buildColumns,
          'No builds yet. Start one with: guildhall builds start ENG-12',
        );
        call.out.part(Math.min(found.length, most), total, '--all or --limit');
      },
    },
    {
      use: 'coders',
      about: 'List the coders of your desks.',
      examples: ['guildhall builds coders'],
      async run(call) {
        const { coders } = await call.service().client.listCoders({}, { signal: call.signal });
        const rows = coders.flatMap(({ name: coder, desks }) =>
          desks.map(({ name: desk, ...rest }) => ({ coder, desk, ...rest })),
        );
        call.out.list(rows, coderColumns, 'No desk has reported a coder yet. See: guildhall desks');
      },
    },
    {
      use: 'start <card>',
      about: 'Start a build of a card.',
      examples: [
        'guildhall builds start ENG-12',
        'guildhall builds start ENG-12 --profile claude.coding --follow',
      ],
      options: [
        ['--coder <coder>', 'A name that guildhall builds coders lists'],
        ['--profile <profile>', 'The coder profile, such as claude.coding'],
        ['--desk <desk>', 'The one desk to build on, by name or id'],
        ['--base <branch>', 'The branch to start from'],
        ['--continues <build>', 'Continue this finished build'],
        ['--note <text>', 'Extra instructions for the coder; - reads standard input'],
        ['--follow', 'Follow the log until the build and its automatic retries finish'],
      ],
      async run(call) {
        const { options, signal } = call;
        const fields = given({
          task_id: await findCardId(call, call.args[0]!),
          coder: options.text('coder'),
          profile: options.text('profile'),
          workstation_id: await findDeskId(call),
          base_branch: options.text('base'),
          continues: options.text('continues'),
          note: await options.long('note'),
        });
        const build = await call
          .service()
          .client.createBuild(fields, { signal })
          .catch((error: unknown) => {
            throw explainStart(error, call.args[0]!);
          });
        if (!options.flag('follow')) {
          const waits = build.waiting_reason ? ` It waits. ${build.waiting_reason}.` : '';
          return call.out.done(build, `Queued ${build.build_id} for ${build.ref}.${waits}`);
        }
        call.out.note(`Queued ${build.build_id} for ${build.ref}`);
        judge(call, await followAttempts(call, build.build_id));
      },
    },
    {
      use: 'answer <build> <answer>',
      about: 'Answer a question of a coder with one of its choices, or in your own words.',
      examples: ['guildhall builds answer ENG-12 "Use the old color"'],
      options: [['--question <question>', 'The id of the question, when several are open']],
      async run(call) {
        const { args, options, signal } = call;
        const build_id = await findBuildId(call, args[0]!);
        const { client } = call.service();
        const { questions } = await client.listBuildQuestions({ build_id }, { signal });
        const open = questions.filter(({ status }) => status === 'open');
        const wanted = options.text('question');
        const asked = open.filter(({ question_id }) => wanted === undefined || question_id === wanted);
        const [one] = asked;
        if (!one || asked.length > 1) throw explainQuestions(open);
        const answer = one.choices?.includes(args[1]!) ? { choice: args[1]! } : { text: args[1]! };
        const { question_id } = one;
        const answered = await client.answerBuildQuestion({ ...answer, build_id, question_id }, { signal });
        call.out.done(answered, `Answered: ${one.question}`);
      },
    },
    {
      use: 'show <build>',
      about: 'Show a build by its id, or the newest build of a card.',
      examples: ['guildhall builds show 8b0e6a38-5a56-4be6-9a6b-6c1d5f0f7a11'],
      async run(call) {
        const { args, out, service, signal } = call;
        const build_id = await findBuildId(call, args[0]!);
        const build = await service().client.getBuild({ build_id }, { signal });
        out.record(build, factsOf(build), [build.result, findingsOf(build)].filter(Boolean).join('\n\n'));
      },
    },
    {
      use: 'log <build>',
      about:
        'Print the log of a build. With --follow, wait until the build and its automatic retries finish.',
      examples: ['guildhall builds log ENG-12 --follow'],
      options: [['-f, --follow', 'Follow until the build finishes; the exit code is its result']],
      async run(call) {
        const [wanted = ''] = call.args;
        const build_id = await findBuildId(call, wanted);
        // A card ref follows the automatic retries too; a build id follows only that build.
        if (call.options.flag('follow'))
          return judge(call, await (isCardRef(wanted) ? followAttempts : follow)(call, build_id));
        let after = 0;
        for (;;) {
          const page = await call
            .service()
            .client.readBuildLog({ build_id, after, limit: PIECES_A_PAGE }, { signal: call.signal });
          for (const chunk of page.chunks)
            if (call.out.isData) call.out.event(chunk, chunk.text);
            else logText(call, chunk.text);
          if (page.chunks.length === 0 || page.next === after) return;
          after = page.next;
        }
      },
    },
    {
      use: 'diff <build> [path]',
      about: "Print a build's diff, all files or one path.",
      examples: ['guildhall builds diff ENG-12 | git apply --stat'],
      plain: true,
      async run(call) {
        const [wanted = '', path] = call.args;
        const build_id = await findBuildId(call, wanted);
        const diff = await call
          .service()
          .client.getBuildDiff(given({ build_id, path }), { signal: call.signal });
        const text = String(diff);
        if (!call.out.isTerminal) return call.out.text(text);
        for (const line of cleanLog(text, false).split('\n')) {
          const colour = /^\+/.test(line)
            ? 'green'
            : /^-/.test(line)
              ? 'red'
              : /^@@/.test(line)
                ? 'cyan'
                : undefined;
          call.out.text(`${colour ? call.out.paint(colour, line) : line}\n`);
        }
      },
    },
    {
      use: 'brief <build>',
      about: 'Print the brief of a build, or the brief a card would get now.',
      examples: ['guildhall builds brief ENG-12'],
      plain: true,
      async run(call) {
        const { client } = call.service();
        const given = call.args[0]!;
        const brief = isCardRef(given)
          ? await client.previewBrief({ task_id: await findCardId(call, given) }, { signal: call.signal })
          : await client.getBuildBrief({ build_id: given }, { signal: call.signal });
        logText(call, String(brief));
      },
    },
    {
      use: 'cancel <build>',
      about: 'Cancel a build. A running build stops within seconds.',
      examples: ['guildhall builds cancel 8b0e6a38-5a56-4be6-9a6b-6c1d5f0f7a11'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const { args, options, out, service, signal } = call;
        const build_id = await findBuildId(call, args[0]!);
        await confirm(`Cancel the build ${args[0]}?`, options.flag('yes'));
        const build = await service().client.cancelBuild({ build_id }, { signal });
        out.done(build, build.status === 'canceled' ? 'Canceled.' : 'The desk will stop the build.');
      },
    },
    ...buildComments,
    {
      use: 'review <build>',
      about: 'Accept a build, or request changes with comments. Draft comments are sent too.',
      examples: [
        'guildhall builds review ENG-12 --accept',
        'guildhall builds review 8b0e6a38-5a56-4be6-9a6b-6c1d5f0f7a11 --rework --comment "src/billing.ts:12: Use the helper"',
      ],
      options: [
        ['--accept', "Push the branch to the project's repository"],
        ['--wait', 'With --accept: wait until the branch is pushed'],
        ['--rework', 'Start a new attempt from this build'],
        ['--comment <path:line: text>...', 'With --rework: a comment for the next attempt'],
      ],
      async run(call) {
        const { args, options, out, service, signal } = call;
        const accepted = options.either('accept', 'rework');
        if (accepted === undefined || (options.flag('accept') && options.flag('rework')))
          throw misuse('Missing decision', 'Pass --accept or --rework.');
        const comments = options.many('comment')?.map(readComment);
        const decision = accepted ? 'accept' : 'rework';
        const build_id = await findBuildId(call, args[0]!);
        const build = await service().client.reviewBuild(given({ build_id, decision, comments }), { signal });
        if (accepted && build.review === null)
          return out.done(build, 'Its pull request is merged already: nothing changed.');
        if (accepted && options.flag('wait')) {
          const pushed = await awaitPush(call, build);
          return out.done(pushed, `Accepted; ${branchOf(pushed)} is in the repository.`);
        }
        out.done(
          build,
          accepted ? 'Accepted. The branch is being pushed.' : `Sent back as ${build.build_id}.`,
        );
      },
    },
  ],
};
