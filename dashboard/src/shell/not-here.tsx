import { Button } from '../ui/button.js';
import { Empty } from '../ui/feedback.js';
import { usePageTitle } from '../ui/page.js';
import { navigate } from './router.js';

const TITLE = 'Nothing to see here';

export function NotHere({ text = 'There is no page at this address.' }: { text?: string }) {
  usePageTitle(TITLE);
  return (
    <div className="page">
      <Empty
        title={TITLE}
        action={<Button onClick={() => navigate('/dashboard/boards')}>Go to the boards</Button>}
      >
        {text}
      </Empty>
    </div>
  );
}
