import { useEffect, useMemo, useRef } from 'react';
import { useAction } from '../api/action.js';
import {
  ALL_KINDS,
  changeMemory,
  listMemories,
  type Memory,
  type MemoryKind,
  type MemoryStats,
  type MemoryStatus,
  searchMemories,
} from '../api/memory.js';
import { refresh, usePages, useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { countOf, sentence } from '../ui/display.js';
import { Empty, ErrorNote, Loaded, More } from '../ui/feedback.js';
import { Checkbox } from '../ui/field.js';
import { SearchIcon } from '../ui/icons.js';
import { stepRows, walkRows } from '../ui/row-focus.js';
import { useToast } from '../ui/toast.js';
import { useTypedParameter } from '../ui/typed-parameter.js';
import { MemoryRow } from './memory-row.js';
import { SearchSummary } from './search-summary.js';

const STATUSES: readonly MemoryStatus[] = ['active', 'archived', 'merged'];

interface Filter {
  status: MemoryStatus;
  kind: MemoryKind | undefined;
  stale: boolean;
  recall: boolean;
}

function useFilter(): Filter {
  const { query } = usePlace();
  return {
    status: STATUSES.find((status) => status === query.get('status')) ?? 'active',
    kind: ALL_KINDS.find((kind) => kind === query.get('kind')),
    stale: query.has('stale'),
    recall: query.has('recall'),
  };
}

const set = (changes: Record<string, string | null>) => navigate(withParameters(changes), { replace: true });

export function MemoriesTab({ agentId, stats }: { agentId: string; stats: MemoryStats | undefined }) {
  const filter = useFilter();
  const typed = useTypedParameter('q');
  const field = useRef<HTMLInputElement>(null);
  useCommands(
    useMemo(
      () => [
        {
          id: 'search-memories',
          label: 'Search memories',
          group: 'Memory',
          keys: '/',
          perform: () => field.current?.focus(),
        },
        { id: 'next-memory', label: 'Next memory', group: 'Memory', keys: 'j', perform: () => stepRows(1) },
        {
          id: 'memory-before',
          label: 'Previous memory',
          group: 'Memory',
          keys: 'k',
          perform: () => stepRows(-1),
        },
      ],
      [],
    ),
  );
  // Search covers only active memories; other states are filtered by text.
  const searching = typed.asked !== '' && filter.status === 'active' && !filter.stale;
  return (
    <section className="section" aria-label="Memories" onKeyDown={walkRows}>
      <div className="knowledge-bar">
        <label className="search-box search-wide">
          <SearchIcon size={16} />
          <span className="off-screen">Search memories</span>
          <input
            ref={field}
            type="search"
            placeholder="Search memories"
            maxLength={200}
            value={typed.text}
            onChange={(event) => typed.setText(event.target.value)}
          />
        </label>
        <StatusSwitch status={filter.status} stats={stats} />
      </div>
      <div className="knowledge-bar">
        <fieldset className="chips">
          <legend className="off-screen">Kind</legend>
          {ALL_KINDS.map((kind) => (
            <button
              key={kind}
              type="button"
              className="chip"
              aria-pressed={filter.kind === kind}
              onClick={() => set({ kind: filter.kind === kind ? null : kind })}
            >
              {sentence(kind)}
            </button>
          ))}
        </fieldset>
        <Checkbox
          label="Stale only"
          checked={filter.stale}
          onChange={(on) => set({ stale: on ? '1' : null })}
        />
        {searching && (
          <Checkbox
            label="Ordered by the model"
            checked={filter.recall}
            onChange={(on) => set({ recall: on ? '1' : null })}
          />
        )}
      </div>
      {searching ? (
        <Found agentId={agentId} asked={typed.asked} filter={filter} />
      ) : (
        <All agentId={agentId} asked={typed.asked} filter={filter} />
      )}
    </section>
  );
}

function StatusSwitch({ status, stats }: { status: MemoryStatus; stats: MemoryStats | undefined }) {
  return (
    <fieldset className="segments">
      <legend className="off-screen">State</legend>
      {STATUSES.map((each) => (
        <button
          key={each}
          type="button"
          className="segment"
          aria-pressed={each === status}
          onClick={() => set({ status: each === 'active' ? null : each })}
        >
          {sentence(each)}
          {stats && <span className="segment-count">{stats[`total_${each}`]}</span>}
        </button>
      ))}
    </fieldset>
  );
}

interface ListProps {
  agentId: string;
  asked: string;
  filter: Filter;
}

/** The memories that a search returns to the agent, best first, with the reasons. */
function Found({ agentId, asked, filter }: ListProps) {
  const search = { query: asked, kinds: filter.kind ?? '', recall: filter.recall };
  const found = useResource(
    `memories:${agentId}:search:${JSON.stringify(search)}`,
    (signal) => searchMemories(agentId, search, signal),
    { keep: true },
  );
  return (
    <Loaded of={found}>
      {(data) => (
        <div className="stack" aria-busy={found.refreshing}>
          <SearchSummary answer={data} />
          {data.memories.length === 0 ? (
            <Empty title="No memory matches">
              Search covers active memories with a confidence of 30% or more. Try other or fewer words.
            </Empty>
          ) : (
            <ul className="rows memory-rows">
              {data.memories.map((memory) => (
                <li key={memory.id}>
                  <MemoryRow memory={memory} why={memory.explain} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  );
}

/** All memories, most recently changed first; the next page loads at the end of the list. */
function All({ agentId, asked, filter: { status, kind, stale } }: ListProps) {
  const filter = { status, kind, stale: stale || undefined, q: asked || undefined };
  const pages = usePages(
    `memories:${agentId}:all:${JSON.stringify(filter)}`,
    (cursor, signal) => listMemories(agentId, filter, cursor, signal),
    { keep: true },
  );
  const narrowed = Boolean(asked || kind || stale || status !== 'active');
  const end = useEndSeen(pages.readingMore ? undefined : pages.readMore);
  return (
    <Loaded of={pages}>
      {(data) => {
        const memories = data.flatMap((page) => page.memories);
        const total = data[0]?.total ?? 0;
        if (memories.length === 0) return <NoMemories narrowed={narrowed} />;
        return (
          <div className="stack-tight" aria-busy={pages.refreshing}>
            <div className="form-bar">
              <p className="muted small" role="status">
                {total} {total === 1 ? 'memory' : 'memories'}, last changed first
              </p>
              {stale && status === 'active' && <ConfirmAll memories={memories} />}
            </div>
            <ul className="rows memory-rows">
              {memories.map((memory) => (
                <li key={memory.id}>
                  <MemoryRow memory={memory} />
                </li>
              ))}
            </ul>
            <div ref={end}>
              <More
                shown={memories.length}
                total={total}
                noun="memories"
                readMore={pages.readMore}
                busy={pages.readingMore}
              />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

function ConfirmAll({ memories }: { memories: Memory[] }) {
  const toast = useToast();
  const confirm = useAction(async () => {
    let confirmed = 0;
    try {
      for (const { id } of memories) {
        await changeMemory(id, {});
        confirmed += 1;
      }
      toast({ text: `${countOf(confirmed, 'memory is', 'memories are')} confirmed` });
    } finally {
      refresh('memor');
    }
  });
  return (
    <>
      <Button small busy={confirm.busy} onClick={() => void confirm.run()}>
        {`Confirm all ${memories.length} shown`}
      </Button>
      {confirm.fault && <ErrorNote fault={confirm.fault} />}
    </>
  );
}

function NoMemories({ narrowed }: { narrowed: boolean }) {
  return narrowed ? (
    <Empty title="Nothing here">No memories of this agent match the filters.</Empty>
  ) : (
    <Empty title="No memories yet">
      Write one, or add a source of conversations that the agent learns from.
    </Empty>
  );
}

/** A ref for the end of a list; calls `onSeen` when it becomes visible. */
function useEndSeen(onSeen: (() => void) | undefined) {
  const end = useRef<HTMLDivElement>(null);
  const call = useRef(onSeen);
  call.current = onSeen;
  const waiting = onSeen !== undefined;
  useEffect(() => {
    if (!waiting || !end.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) call.current?.();
      },
      { rootMargin: '400px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [waiting]);
  return end;
}
