import { useMemo, useState } from 'react';
import { listAgents, type MemoryStats, readStats } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link, usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Avatar, Badge } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { MemoryIcon, PlusIcon } from '../ui/icons.js';
import { Page, Tabs } from '../ui/page.js';
import { useSeen } from '../ui/seen.js';
import { activeOf, HealthPictures, useHealth } from './health.js';
import { Line } from './pictures.js';
import { SourcesTab } from './sources-tab.js';
import { WriteMemoryDialog } from './write-memory-dialog.js';

const TABS = [
  { key: 'agents', label: 'Agents' },
  { key: 'health', label: 'Health' },
  { key: 'sources', label: 'Sources' },
];

export function MemoryPage() {
  const { query } = usePlace();
  const tab = TABS.find(({ key }) => key === query.get('tab'))?.key ?? 'agents';
  const [writing, setWriting] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'write-memory',
          label: 'Write a memory',
          group: 'Memory',
          keys: 'n',
          words: 'new add remember',
          perform: () => setWriting(true),
        },
      ],
      [],
    ),
  );
  return (
    <Page
      wide
      title="Memory"
      lead="Memories of agents and their sources."
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setWriting(true)}>
          Write a memory
        </Button>
      }
    >
      <Tabs
        label="Memory"
        tabs={TABS.map(({ key, label }) => ({
          to: key === 'agents' ? '/dashboard/memory' : `/dashboard/memory?tab=${key}`,
          label,
          current: tab === key,
        }))}
      />
      {tab === 'sources' && <SourcesTab />}
      {tab === 'health' && <HealthPictures />}
      {tab === 'agents' && <AgentsTab onWrite={() => setWriting(true)} />}
      {writing && <WriteMemoryDialog onClose={() => setWriting(false)} />}
    </Page>
  );
}

function AgentsTab({ onWrite }: { onWrite(): void }) {
  const agents = useResource('memory-agents', listAgents);
  const stats = useResource('memory-stats:', (signal) => readStats(undefined, signal));
  return (
    <div className="stack">
      <Loaded of={stats} rows={1}>
        {(data) => <StatsStrip stats={data} />}
      </Loaded>
      <Loaded of={agents}>
        {(data) =>
          data.agents.length === 0 ? (
            <Empty
              title="No agents yet"
              icon={<MemoryIcon size={28} />}
              action={<Button onClick={onWrite}>Write a memory</Button>}
            >
              Hire an agent, or write a memory under an agent id of your own.
            </Empty>
          ) : (
            <ul className="tiles tiles-large">
              {data.agents.map((agent) => (
                <li key={agent.agent_id}>
                  <AgentTile agentId={agent.agent_id} name={agent.name} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function StatsStrip({ stats }: { stats: MemoryStats }) {
  const mean = stats.avg_confidence === null ? 'none' : `${Math.round(stats.avg_confidence * 100)}%`;
  const figures: [string, string | number][] = [
    ['Active', stats.total_active],
    ['Archived', stats.total_archived],
    ['Merged', stats.total_merged],
    ['Mean confidence', mean],
  ];
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name} className="figure">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Loads the agent's memory health only when the tile becomes visible. */
function AgentTile({ agentId, name }: { agentId: string; name: string }) {
  const [tile, seen] = useSeen<HTMLDivElement>();
  return (
    <div ref={tile} className="agent-tile">
      <Link to={`/dashboard/memory/${encodeURIComponent(agentId)}`} className="tile">
        <span className="tile-row">
          <Avatar name={name} size={34} />
          <span className="tile-text">
            <strong className="tile-title">{name}</strong>
            {name !== agentId && <span className="mono muted small">{agentId}</span>}
          </span>
        </span>
        {seen ? <AgentHealth agentId={agentId} /> : <span className="agent-health" />}
      </Link>
    </div>
  );
}

function AgentHealth({ agentId }: { agentId: string }) {
  const { data } = useHealth(agentId);
  if (!data) return <span className="agent-health" />;
  const active = activeOf(data);
  const troubles: string[] = [
    ...(data.conversations.failed > 0 ? [`${data.conversations.failed} failed`] : []),
    ...(data.sources.failing > 0
      ? [`${data.sources.failing} failing ${data.sources.failing === 1 ? 'source' : 'sources'}`]
      : []),
  ];
  return (
    <span className="agent-health">
      <span className="agent-figures">
        <span>
          <strong className="number">{active}</strong>{' '}
          <span className="muted">{active === 1 ? 'memory' : 'memories'}</span>
        </span>
        {data.stale > 0 && (
          <Badge tone="warn" title="Not verified for 30 days">
            {data.stale} stale
          </Badge>
        )}
        {data.conversations.waiting > 0 && <Badge tone="info">{data.conversations.waiting} waiting</Badge>}
        {troubles.map((trouble) => (
          <Badge key={trouble} tone="bad">
            {trouble}
          </Badge>
        ))}
      </span>
      <Line values={data.weeks.map(({ total }) => total)} className="line-small" />
    </span>
  );
}
