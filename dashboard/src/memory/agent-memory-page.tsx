import { useEffect, useState } from 'react';
import {
  KINDS,
  listAgents,
  type MemoryHit,
  readStats,
  type SearchAnswer,
  searchMemories,
} from '../api/memory.js';
import { useKept, useResource } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Badge, Meter, plainWords, sentence } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Checkbox } from '../ui/field.js';
import { PlusIcon, SearchIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { ConversationsSection } from './conversations-section.js';
import { MemoryDrawer } from './memory-drawer.js';
import { StatsStrip } from './stats-strip.js';
import { WriteMemoryDialog } from './write-memory-dialog.js';

const TYPING_PAUSE_MS = 250;
const MOST_RESULTS = 50;

export function AgentMemoryPage({ agentId }: { agentId: string }) {
  const { query } = usePlace();
  const agents = useResource('memory-agents', listAgents);
  const stats = useResource(`memory-stats:${agentId}`, (signal) => readStats(agentId, signal));
  const [writing, setWriting] = useState(false);
  const open = query.get('memory');
  const name = agents.data?.agents.find((agent) => agent.agent_id === agentId)?.name;
  return (
    <Page
      title={name ?? agentId}
      back={{ to: '/dashboard/memory', label: 'Memory' }}
      lead={name && name !== agentId && <span className="mono">{agentId}</span>}
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setWriting(true)}>
          Write a memory
        </Button>
      }
    >
      <Loaded of={stats} rows={1}>
        {(data) => <StatsStrip stats={data} />}
      </Loaded>
      <MemorySearch agentId={agentId} />
      <ConversationsSection agentId={agentId} />
      {open && (
        <MemoryDrawer key={open} memoryId={open} onClose={() => navigate(withParameters({ memory: null }))} />
      )}
      {writing && <WriteMemoryDialog agentId={agentId} onClose={() => setWriting(false)} />}
    </Page>
  );
}

function MemorySearch({ agentId }: { agentId: string }) {
  const [text, setText] = useState('');
  const [settled, setSettled] = useState('');
  const [kinds, setKinds] = useState<string[]>([]);
  const [rerank, setRerank] = useState(false);
  const [explain, setExplain] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);

  const search = { query: settled, kinds: kinds.join(','), limit: MOST_RESULTS, rerank };
  const found = useKept(
    useResource(`memories:${agentId}:${JSON.stringify(search)}`, (signal) =>
      searchMemories(agentId, search, signal),
    ),
  );
  const toggle = (kind: string) =>
    setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind]);

  return (
    <section className="section" aria-label="Memories">
      <div className="filter-bar">
        <label className="search-box search-wide">
          <SearchIcon size={16} />
          <span className="off-screen">Search memories</span>
          <input
            type="search"
            placeholder="Search memories"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <fieldset className="chips">
          <legend className="off-screen">Kinds</legend>
          {[...KINDS, 'summary'].map((kind) => (
            <button
              key={kind}
              type="button"
              className="chip"
              aria-pressed={kinds.includes(kind)}
              onClick={() => toggle(kind)}
            >
              {sentence(kind)}
            </button>
          ))}
        </fieldset>
        <Checkbox label="Ordered by the model" checked={rerank} onChange={setRerank} />
        <Checkbox label="Explain" checked={explain} onChange={setExplain} />
      </div>
      <Loaded of={found}>{(data) => <Results answer={data} asked={settled} explain={explain} />}</Loaded>
    </section>
  );
}

function Results({ answer, asked, explain }: { answer: SearchAnswer; asked: string; explain: boolean }) {
  return (
    <>
      {explain && answer.explain && <p className="muted small">{describeSearch(answer)}</p>}
      {answer.memories.length === 0 ? (
        <Empty title={asked ? 'No memory matches' : 'No memories yet'}>
          Search shows active memories with a confidence of 30% or more.
        </Empty>
      ) : (
        <ul className="rows">
          {answer.memories.map((memory) => (
            <li key={memory.id}>
              <MemoryRow memory={memory} explain={explain} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function describeSearch({ explain, count }: SearchAnswer): string {
  const words = explain?.terms.map(({ word }) => word).join(', ');
  const leftOut = Object.entries((explain?.left_out ?? {}) as Record<string, unknown>)
    .filter(([, value]) => typeof value === 'number' && value > 0)
    .map(([name, value]) => `${value} ${plainWords(name)}`);
  return [
    `${count} found by ${plainWords(explain?.tried ?? 'order')}`,
    words && `words looked for: ${words}`,
    leftOut.length > 0 && `left out: ${leftOut.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}

function MemoryRow({ memory, explain }: { memory: MemoryHit; explain: boolean }) {
  return (
    <button type="button" className="row" onClick={() => navigate(withParameters({ memory: memory.id }))}>
      <span className="row-main">
        <span className="row-title">
          <Badge tone="accent">{memory.kind}</Badge>
          <strong>{memory.title}</strong>
          {memory.stale && (
            <Badge tone="warn" title={memory.stale_caveat}>
              stale
            </Badge>
          )}
        </span>
        <span className="row-text">{memory.description || memory.body}</span>
        {memory.tags.length > 0 && (
          <span className="tags">
            {memory.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </span>
        )}
        {explain && memory.explain && memory.explain.match !== null && (
          <span className="explain">
            match {Math.round(memory.explain.match * 100)}%
            {memory.explain.terms.map((term) => (
              <span key={term.term}>
                <b>{term.term}</b> {plainWords(term.matched)}
                {term.in_title ? ' in title' : ''} {term.score.toFixed(2)}
              </span>
            ))}
          </span>
        )}
      </span>
      <Meter value={memory.confidence} label="Confidence" />
    </button>
  );
}
