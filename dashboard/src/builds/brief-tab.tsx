import { useState } from 'react';
import { type Build, readBrief } from '../api/builds.js';
import { useResource } from '../api/resource.js';
import { Button, CopyButton } from '../ui/button.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Markdown } from '../ui/markdown.js';

export function BriefTab({ build }: { build: Build }) {
  const [plain, setPlain] = useState(false);
  const given = build.brief_digest !== null;
  const brief = useResource(
    given ? `brief:${build.build_id}` : null,
    (signal) => readBrief(build.build_id, signal),
    {
      freshMs: 10 * 60_000,
    },
  );
  if (!given)
    return (
      <Empty title="Not given yet">
        The brief is written when a desk starts the build: the card, lessons near its code, memories and your
        note.
      </Empty>
    );
  return (
    <Loaded of={brief} rows={6}>
      {(text) => (
        <section className="stack" aria-label="Brief">
          <h2 className="off-screen">Brief</h2>
          <div className="form-bar">
            <Button small tone="quiet" aria-pressed={plain} onClick={() => setPlain(!plain)}>
              As sent to the coder
            </Button>
            <CopyButton text={text} />
            <span className="muted small mono clip" title="SHA-256 of the brief">
              {build.brief_digest}
            </span>
          </div>
          <div className="build-paper">
            {plain ? <pre className="plain-brief">{text}</pre> : <Markdown text={text} />}
          </div>
        </section>
      )}
    </Loaded>
  );
}
