import { useState } from 'react';
import { listAgents, readStats } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { Link, usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Avatar } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { MemoryIcon, PlusIcon } from '../ui/icons.js';
import { Page, Tabs } from '../ui/page.js';
import { SourcesTab } from './sources-tab.js';
import { StatsStrip } from './stats-strip.js';
import { WriteMemoryDialog } from './write-memory-dialog.js';

export function MemoryPage() {
  const { query } = usePlace();
  const tab = query.get('tab') ?? 'agents';
  const [writing, setWriting] = useState(false);
  return (
    <Page
      title="Memory"
      lead="What the agents have learned, and where from."
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setWriting(true)}>
          Write a memory
        </Button>
      }
    >
      <Tabs
        label="Memory"
        tabs={[
          { to: '/dashboard/memory', label: 'Agents', current: tab === 'agents' },
          { to: '/dashboard/memory?tab=sources', label: 'Sources', current: tab === 'sources' },
        ]}
      />
      {tab === 'sources' ? <SourcesTab /> : <AgentsTab />}
      {writing && <WriteMemoryDialog onClose={() => setWriting(false)} />}
    </Page>
  );
}

function AgentsTab() {
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
            <Empty title="No agents yet" icon={<MemoryIcon size={28} />}>
              Hire an agent, or write a memory under an agent id of your own.
            </Empty>
          ) : (
            <ul className="tiles">
              {data.agents.map((agent) => (
                <li key={agent.agent_id}>
                  <Link
                    to={`/dashboard/memory/${encodeURIComponent(agent.agent_id)}`}
                    className="tile tile-row"
                  >
                    <Avatar name={agent.name} size={34} />
                    <span className="tile-text">
                      <strong className="tile-title">{agent.name}</strong>
                      <span className="mono muted small">{agent.agent_id}</span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
