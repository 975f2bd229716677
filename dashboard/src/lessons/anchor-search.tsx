import { useEffect, useState } from 'react';
import { searchLessons } from '../api/lessons.js';
import { useKept, useResource } from '../api/resource.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { LessonRow } from './lesson-row.js';
import { PathField } from './path-field.js';

const TYPING_PAUSE_MS = 250;
const ROOT = '/';

/** Lessons on a file, a symbol or a folder, and on the folders above; without an anchor those on the root. */
export function AnchorSearch({ projectId }: { projectId: string }) {
  const [anchor, setAnchor] = useState('');
  const [words, setWords] = useState('');
  const [asked, setAsked] = useState({ anchor: '', words: '' });

  useEffect(() => {
    const timer = setTimeout(() => setAsked({ anchor: anchor.trim(), words: words.trim() }), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [anchor, words]);

  const found = useKept(
    useResource(`lessons:${projectId}:${JSON.stringify(asked)}`, (signal) =>
      searchLessons(
        { project_id: projectId, anchor: asked.anchor || ROOT, q: asked.words, limit: 100 },
        signal,
      ),
    ),
  );
  return (
    <section className="stack" aria-label="Lessons by anchor">
      <div className="filter-bar">
        <PathField
          projectId={projectId}
          label="File, folder/ or path#Symbol"
          value={anchor}
          onChange={setAnchor}
        />
        <label className="search-box">
          <span className="off-screen">Words in the lesson</span>
          <input
            type="search"
            placeholder="Words in the lesson"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
      </div>
      <Loaded of={found}>
        {(data) => (
          <>
            <p className="muted small">
              {data.total} {data.total === 1 ? 'lesson' : 'lessons'}
              {asked.anchor
                ? ` for ${asked.anchor}`
                : ' on the root folder; name a place in the code to find those on it'}
            </p>
            {data.items.length === 0 ? (
              <Empty title="No lessons here">
                Lessons on the code, on what encloses it and on the folders above show up.
              </Empty>
            ) : (
              <ul className="rows">
                {data.items.map((lesson) => (
                  <li key={lesson.id}>
                    <LessonRow lesson={lesson} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
