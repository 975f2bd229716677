import { useMemo, useState } from 'react';
import { listAgents, readStats } from '../api/memory.js';
import { readAgentBudget, saveAgentBudget } from '../api/money.js';
import { useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { goBackTo, navigate, usePlace, withParameters } from '../shell/router.js';
import { BudgetSection } from '../spend/budget-section.js';
import { Button } from '../ui/button.js';
import { PlusIcon } from '../ui/icons.js';
import { Page, Tabs } from '../ui/page.js';
import { useFocusKept } from '../ui/row-focus.js';
import { ConversationsTab } from './conversations-tab.js';
import { HealthPictures } from './health.js';
import { MemoriesTab } from './memories-tab.js';
import { MemoryDrawer } from './memory-drawer.js';
import { SectionTab } from './section-tab.js';
import { SourcesTab } from './sources-tab.js';
import { WriteMemoryDialog } from './write-memory-dialog.js';

const TABS = [
  { key: 'memories', label: 'Memories' },
  { key: 'health', label: 'Health' },
  { key: 'conversations', label: 'Conversations' },
  { key: 'sources', label: 'Sources' },
  { key: 'section', label: 'MEMORY.md' },
  { key: 'budget', label: 'Budget' },
];

export function AgentMemoryPage({ agentId }: { agentId: string }) {
  const { query, path } = usePlace();
  const agents = useResource('memory-agents', listAgents, { freshMs: 30_000 });
  const stats = useResource(`memory-stats:${agentId}`, (signal) => readStats(agentId, signal));
  const [writing, setWriting] = useState(false);
  const tab = TABS.find(({ key }) => key === query.get('tab'))?.key ?? 'memories';
  const open = query.get('memory');
  const name = agents.data?.agents.find((agent) => agent.agent_id === agentId)?.name;
  useFocusKept(open);
  useCommands(useMemo(() => commandsOf(path, () => setWriting(true)), [path]));
  return (
    <Page
      wide
      title={name ?? agentId}
      back={{ to: '/dashboard/memory', label: 'Memory' }}
      lead={name && name !== agentId && <span className="mono">{agentId}</span>}
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setWriting(true)}>
          Write a memory
        </Button>
      }
    >
      <Tabs
        label={`Memory of ${name ?? agentId}`}
        tabs={TABS.map(({ key, label }) => ({
          to: key === 'memories' ? path : `${path}?tab=${key}`,
          label,
          current: tab === key,
        }))}
      />
      {tab === 'memories' && <MemoriesTab agentId={agentId} stats={stats.data} />}
      {tab === 'health' && <HealthPictures agentId={agentId} />}
      {tab === 'conversations' && <ConversationsTab agentId={agentId} />}
      {tab === 'sources' && <SourcesTab agentId={agentId} />}
      {tab === 'section' && <SectionTab agentId={agentId} />}
      {tab === 'budget' && (
        <BudgetSection whose="agent" id={agentId} read={readAgentBudget} save={saveAgentBudget} />
      )}
      {open && (
        <MemoryDrawer
          key={open}
          memoryId={open}
          onClose={() => goBackTo(withParameters({ memory: null }))}
          onOpenOther={(id) => navigate(withParameters({ memory: id }), { replace: true })}
        />
      )}
      {writing && <WriteMemoryDialog agentId={agentId} onClose={() => setWriting(false)} />}
    </Page>
  );
}

const commandsOf = (path: string, write: () => void) => [
  {
    id: 'write-memory',
    label: 'Write a memory',
    group: 'Memory',
    keys: 'n',
    words: 'new add remember',
    perform: write,
  },
  ...TABS.map(({ key, label }) => ({
    id: `memory-${key}`,
    label: `Show ${key === 'section' ? 'what MEMORY.md says' : label.toLowerCase()}`,
    group: 'Memory',
    perform: () => navigate(key === 'memories' ? path : `${path}?tab=${key}`),
  })),
];
