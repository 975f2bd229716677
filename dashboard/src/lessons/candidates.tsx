import { listNodes } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { CopyButton } from '../ui/button.js';
import { Loaded } from '../ui/feedback.js';
import { aroundAddress } from './addresses.js';
import { rankByName } from './likeness.js';
import { folderOf, splitPlace } from './places.js';

const MOST_ANCHORS = 6;
const MOST_CANDIDATES = 3;

interface Gone {
  anchor: string;
  live: boolean;
  candidates: string[];
}

/** For each anchor of a stale lesson: whether it exists, and live code nearby with a similar name. */
export function Candidates({ projectId, anchors }: { projectId: string; anchors: string[] }) {
  const found = useResource(
    `candidates:${projectId}:${anchors.join(' ')}`,
    (signal) =>
      Promise.all(anchors.slice(0, MOST_ANCHORS).map((anchor) => lookFor(projectId, anchor, signal))),
    { freshMs: 30_000 },
  );
  return (
    <Loaded of={found} rows={2}>
      {(data) => (
        <ul className="plain-list candidates">
          {data.map(({ anchor, live, candidates }) => (
            <li key={anchor} className="stack-tight">
              {live ? (
                <Link className="mono" to={aroundAddress(projectId, anchor)}>
                  {anchor}
                </Link>
              ) : (
                <span>
                  <del className="mono">{anchor}</del> <span className="muted small">is gone</span>
                </span>
              )}
              {!live && candidates.length === 0 && (
                <span className="muted small">No similar names nearby.</span>
              )}
              {candidates.length > 0 && (
                <span className="muted small">
                  Possible new places. Change the anchor in the lesson’s file:
                </span>
              )}
              {candidates.map((place) => (
                <span key={place} className="candidate">
                  <Link className="mono" to={aroundAddress(projectId, place)}>
                    {place}
                  </Link>
                  <CopyButton text={place} label="Copy anchor" />
                </span>
              ))}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

/** Searches the same file first, then the same folder, because code seldom moves far. */
async function lookFor(projectId: string, anchor: string, signal: AbortSignal): Promise<Gone> {
  const { file, symbol } = splitPlace(anchor);
  const exact = await listNodes(projectId, { path: anchor, limit: 1 }, signal);
  if (exact.items.some((node) => node.live)) return { anchor, live: true, candidates: [] };
  const kind = symbol ? 'symbol' : anchor.endsWith('/') ? 'folder' : 'file';
  const inFile = symbol ? await listNodes(projectId, { prefix: `${file}#`, kind, limit: 200 }, signal) : null;
  const folder = folderOf(anchor);
  const around = await listNodes(
    projectId,
    { prefix: folder === '/' ? undefined : folder, kind, limit: 500 },
    signal,
  );
  const places = new Set([...(inFile?.items ?? []), ...around.items].map((node) => node.path));
  places.delete(anchor);
  return { anchor, live: false, candidates: rankByName(anchor, [...places]).slice(0, MOST_CANDIDATES) };
}
