import { describe, expect, it } from 'vitest';
import { computingTime } from '../../../../tests/support/event-loop.js';
import { readClaudeCodeLine } from './messages.js';
import { extractByRules } from './rule-extractor.js';

const said = (content: string, role = 'user') => ({ role, content, at: null });
const bodies = (content: string, role?: string) =>
  extractByRules([said(content, role)]).map(({ body }) => body);

describe('extractByRules', () => {
  it.each([
    ['We decided to use PostgreSQL for the ledger.', 'decision'],
    ["Let's go with Fastify for the API server.", 'decision'],
    ['I prefer dark mode in every editor.', 'preference'],
    ['Please always run the linter before a commit.', 'preference'],
    ['It turns out the cache was never warmed.', 'learning'],
    ['The root cause was a missing index on orders.', 'learning'],
    ['Whenever the queue is full the worker restarts.', 'pattern'],
    ['Remember that staging runs on port 5433.', 'fact'],
    ['Our production database is in Frankfurt.', 'fact'],
  ])('reads %j as a %s', (sentence, kind) => {
    expect(extractByRules([said(sentence)])).toMatchObject([{ kind, body: sentence }]);
  });

  it.each([
    'Should we use PostgreSQL for the ledger?',
    'Maybe we decided too early on this.',
    'ok thanks',
    'Let me look at the file first.',
  ])('learns nothing from %j', (sentence) => {
    expect(extractByRules([said(sentence)])).toEqual([]);
  });

  it.each([
    'Please remember what you find.',
    'Remember to update the docs when the root cause is known.',
    'Fix the bug where the login fails when the cookie is missing.',
    'Then look at the tests, the problem is in the parser.',
    'Read the README first, our setup is described there.',
    'Make sure that the build works whenever the cache is cold.',
    'Do not touch the migrations folder, the schema is frozen.',
    "Don't forget to run the linter, our pipeline is strict.",
    'You are working in the billing repository of our team.',
    'Your answer should name the file that is broken.',
    'I want you to find out why the importer fails when a line is empty.',
    'When you are done, report which test was failing because of the clock.',
    'First, run the whole suite; the team has decided on green builds.',
    'Use the staging database, our production data is private.',
    'Please make sure the server starts within ten seconds.',
    'Write a test that fails if the order is wrong.',
    '<task-notification>The agent has finished and the fix was merged</task-notification>',
    'Find out how we usually deploy and tell me.',
    'Note how the cache is filled, we need it later.',
  ])('ignores an instruction to the agent: %j', (sentence) => {
    expect(bodies(sentence)).toEqual([]);
  });

  it.each([
    'Please always run the linter before a commit.',
    'Never push to main on a Friday afternoon.',
    'Remember that staging runs on port 5433.',
    'Note that the importer fails when a line is empty.',
    "Don't forget that our certificate expires in May.",
    'Test data is made by factories, the root cause was a missing seed.',
    'Release notes are what we usually write on Thursdays.',
    'Check constraints fail when the value is null, as a rule.',
    'We decided to use PostgreSQL for the ledger.',
    "Let's go with Fastify for the API server.",
    'Our production database is in Frankfurt.',
    'Build times have doubled because the cache was never warmed; the fix was to keep it.',
    'I prefer short answers with the conclusion first.',
    'The tests were failing because the clock of the runner was wrong.',
  ])('learns a statement of fact: %j', (sentence) => {
    expect(bodies(sentence)).toEqual([sentence]);
  });

  it.each([
    'I learned nothing.',
    'I learned nothing new today, sadly.',
    'We learned nothing from this outage.',
    'So far we have decided nothing about the queue.',
    "We haven't decided which queue to use.",
    'We have not yet agreed on a name for it.',
    'Lessons learned: none in this sprint.',
    'Decision: nothing was decided today.',
    'There is nothing to remember from this session.',
    'We found out nothing about the crash.',
    "Let's move on to the next failing test.",
  ])('ignores a statement that nothing was learned: %j', (sentence) => {
    expect(bodies(sentence)).toEqual([]);
    expect(bodies(sentence, 'assistant')).toEqual([]);
  });

  it.each([
    "let's go with SQS",
    'Let’s go with SQS.',
    "OK, let's go with SQS.",
    "Yes, let's go with SQS for the queue.",
    "Let's use SQS.",
    'We decided nothing should be deployed on a Friday.',
    'We learned nothing works without the cache.',
  ])('learns %j', (sentence) => {
    expect(bodies(sentence)).toEqual([sentence.replace('’', "'")]);
  });

  it('reads a long text without sentence ends in linear time', () => {
    const texts = [
      'please '.repeat(150_000),
      'now, then, '.repeat(95_000),
      'you '.repeat(260_000),
      '<a '.repeat(350_000),
    ];
    const milliseconds = computingTime(() => {
      for (const text of texts) expect(bodies(text)).toEqual([]);
    });
    expect(milliseconds).toBeLessThan(20_000);
  });
});

describe('A Claude Code session', () => {
  it('contains lines other than messages, which are skipped', () => {
    const prompt = 'Remember that staging runs on port 5433.';
    for (const line of [
      { type: 'queue-operation', operation: 'enqueue', content: prompt, sessionId: 's' },
      { type: 'queue-operation', operation: 'dequeue', sessionId: 's' },
      { type: 'attachment', attachment: { type: 'queued_command', prompt }, uuid: 'u' },
      { type: 'last-prompt', lastPrompt: prompt, sessionId: 's' },
      { type: 'ai-title', aiTitle: prompt },
      { type: 'file-history-snapshot', snapshot: {} },
    ])
      expect(readClaudeCodeLine(line)).toBeUndefined();
    expect(readClaudeCodeLine({ type: 'user', message: { role: 'user', content: prompt } })).toMatchObject({
      content: prompt,
    });
  });
});
