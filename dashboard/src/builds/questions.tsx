import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { answerQuestion, type Build, listQuestions, type Question } from '../api/builds.js';
import { refresh, useResource } from '../api/resource.js';
import { ActorName } from '../ui/actor.js';
import { Button } from '../ui/button.js';
import { Time } from '../ui/display.js';
import { ErrorNote, Note } from '../ui/feedback.js';
import { TextArea } from '../ui/field.js';
import { Markdown } from '../ui/markdown.js';

const POLL_MS = 5_000;

/** Questions of the coder that wait for an answer; with `past`, also those that are closed. */
export function BuildQuestions({
  build,
  past = false,
}: {
  build: Pick<Build, 'build_id' | 'status'>;
  past?: boolean;
}) {
  const waits = build.status === 'waiting';
  const list = useResource(
    waits || past ? `questions:${build.build_id}` : null,
    (signal) => listQuestions(build.build_id, signal),
    { pollMs: waits ? POLL_MS : null },
  );
  const shown = list.data?.questions.filter(({ status }) => past || status === 'open') ?? [];
  if (shown.length === 0) return null;
  return (
    <section className="build-questions" aria-label="Questions">
      {shown.map((question) =>
        question.status === 'open' ? (
          <OpenQuestion key={question.question_id} build={build} question={question} />
        ) : (
          <ClosedQuestion key={question.question_id} question={question} />
        ),
      )}
    </section>
  );
}

function OpenQuestion({ build, question }: { build: Pick<Build, 'build_id'>; question: Question }) {
  const [text, setText] = useState('');
  const action = useAction(async (answer: { choice?: string; text?: string }) => {
    await answerQuestion(build.build_id, question.question_id, answer);
    for (const key of ['questions:', 'build:', 'builds:']) refresh(key);
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    void action.run({ text });
  };
  return (
    <Note tone="warn">
      <div className="build-question">
        <strong>The coder has a question</strong>
        <Markdown text={question.question} />
        {question.choices && (
          <div className="build-choices">
            {question.choices.map((choice) => (
              <Button
                key={choice}
                small
                busy={action.busy}
                onClick={() => void action.run({ choice, ...(text.trim() && { text }) })}
              >
                {choice}
              </Button>
            ))}
          </div>
        )}
        <form onSubmit={send}>
          <TextArea
            label={question.choices ? 'Your own words' : 'Answer'}
            field="text"
            rows={2}
            maxLength={10_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span>
            <Button type="submit" small tone="primary" busy={action.busy} disabled={!text.trim()}>
              Answer
            </Button>{' '}
            <span className="muted small">
              Without an answer the coder continues <Time at={question.expires_at} />.
            </span>
          </span>
        </form>
        {action.fault && <ErrorNote fault={action.fault} />}
      </div>
    </Note>
  );
}

function ClosedQuestion({ question: { question, status, answer } }: { question: Question }) {
  return (
    <div className="build-question">
      <Markdown text={question} />
      <p className="muted small">
        {status === 'expired' || !answer ? (
          'No one answered in time.'
        ) : (
          <>
            {answer.by ? <ActorName actor={answer.by} /> : 'A former member'} answered <Time at={answer.at} />
            : {[answer.choice, answer.text].filter(Boolean).join('. ')}
          </>
        )}
      </p>
    </div>
  );
}
