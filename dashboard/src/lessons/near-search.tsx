import { type FormEvent, useState } from 'react';
import { type Direction, type Edge, findNear, type NearAnswer, type NearQuery } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { plainWords } from '../ui/display.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { Checkbox, SelectField } from '../ui/field.js';
import { LessonRow } from './lesson-row.js';
import { PathField } from './path-field.js';

const EDGES: readonly Edge[] = ['import', 'contains', 'call'];

/** Walks the code graph outward from a place and shows the lessons on the way. */
export function NearSearch({ projectId }: { projectId: string }) {
  const [path, setPath] = useState('');
  const [depth, setDepth] = useState('2');
  const [direction, setDirection] = useState<Direction>('both');
  const [kinds, setKinds] = useState<Edge[]>(['import', 'contains']);
  const [asked, setAsked] = useState<NearQuery>();
  const answer = useResource(asked ? `near:${JSON.stringify(asked)}` : null, (signal) =>
    findNear(asked as NearQuery, signal),
  );

  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked({ project_id: projectId, paths: [path.trim()], depth: Number(depth), direction, kinds });
  }

  return (
    <section className="stack" aria-label="Lessons near code">
      <form className="filter-bar" onSubmit={submit}>
        <PathField
          projectId={projectId}
          label="Start at a file, folder/ or path#Symbol"
          value={path}
          onChange={setPath}
        />
        <SelectField label="Hops" value={depth} onChange={(event) => setDepth(event.target.value)}>
          {['0', '1', '2', '3'].map((hops) => (
            <option key={hops}>{hops}</option>
          ))}
        </SelectField>
        <SelectField
          label="Direction"
          value={direction}
          onChange={(event) => setDirection(event.target.value as Direction)}
        >
          <option value="both">Both</option>
          <option value="out">Out</option>
          <option value="in">In</option>
        </SelectField>
        <fieldset className="chips">
          <legend className="off-screen">Edges to follow</legend>
          {EDGES.map((edge) => (
            <Checkbox
              key={edge}
              label={edge}
              checked={kinds.includes(edge)}
              onChange={(on) => setKinds(on ? [...kinds, edge] : kinds.filter((each) => each !== edge))}
            />
          ))}
        </fieldset>
        <Button type="submit" tone="primary" disabled={path.trim() === '' || kinds.length === 0}>
          Look around
        </Button>
      </form>
      {asked && <Loaded of={answer}>{(data) => <NearResults answer={data} />}</Loaded>}
    </section>
  );
}

function NearResults({ answer }: { answer: NearAnswer }) {
  return (
    <>
      {answer.degraded && <Note tone="warn">The answer is incomplete: {plainWords(answer.degraded)}.</Note>}
      <p className="muted small">
        {answer.entries.length} lessons, {answer.reached_nodes} places in the code reached
        {answer.truncated && '; there are more'}
        {answer.damped.length > 0 &&
          `; not walked past ${answer.damped.map(({ path, degree }) => `${path} (${degree} edges)`).join(', ')}`}
      </p>
      {answer.entries.length === 0 ? (
        <Empty title={answer.reached_nodes === 0 ? 'This is no live code' : 'No lessons nearby'} />
      ) : (
        <ul className="rows">
          {answer.entries.map((lesson) => (
            <li key={lesson.id}>
              <LessonRow lesson={lesson} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
