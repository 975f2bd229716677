import { AgentsPage } from '../agents/agents-page.js';
import { OnboardingPage } from '../agents/onboarding-page.js';
import { BoardPage } from '../boards/board-page.js';
import { BoardsPage } from '../boards/boards-page.js';
import { CoderProfilesPage } from '../coder-profiles/coder-profiles-page.js';
import { LessonsPage } from '../lessons/lessons-page.js';
import { ProjectPage } from '../lessons/project-page.js';
import { MachinePage } from '../machines/machine-page.js';
import { MachinesPage } from '../machines/machines-page.js';
import { AgentMemoryPage } from '../memory/agent-memory-page.js';
import { MemoryPage } from '../memory/memory-page.js';
import { SettingsPage } from '../settings/settings-page.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/feedback.js';
import { navigate, type Place } from './router.js';
import { useSession } from './session.js';

/** Which page an address means. */
export function Areas({ place }: { place: Place }) {
  const { role } = useSession();
  const [, area = 'boards', id] = place.parts;
  if (area === 'boards') return id ? <BoardPage key={id} boardId={id} /> : <BoardsPage />;
  if (role === 'guest') return <NotHere text="Guests can open the boards they were invited to." />;
  switch (area) {
    case 'memory':
      return id ? <AgentMemoryPage key={id} agentId={id} /> : <MemoryPage />;
    case 'lessons':
      return id ? <ProjectPage key={id} projectId={id} /> : <LessonsPage />;
    case 'machines':
      return id ? <MachinePage key={id} deskId={id} /> : <MachinesPage />;
    case 'agents':
      return id === 'onboarding' ? <OnboardingPage hireId={place.query.get('hire') ?? ''} /> : <AgentsPage />;
    case 'coder-profiles':
      return <CoderProfilesPage />;
    case 'settings':
      return <SettingsPage tab={id ?? 'features'} />;
    default:
      return <NotHere text="There is no page at this address." />;
  }
}

function NotHere({ text }: { text: string }) {
  return (
    <div className="page">
      <Empty
        title="Nothing to see here"
        action={<Button onClick={() => navigate('/dashboard/boards')}>Go to the boards</Button>}
      >
        {text}
      </Empty>
    </div>
  );
}
