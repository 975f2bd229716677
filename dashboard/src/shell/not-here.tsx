import { Button } from '../ui/button.js';
import { usePageTitle } from '../ui/page.js';
import { navigate } from './router.js';

const TITLE = 'Page not found';

export function NotHere({ text = 'There is no page at this address.' }: { text?: string }) {
  usePageTitle(TITLE);
  return (
    <div className="page">
      <div className="empty">
        <h1 className="empty-title" tabIndex={-1}>
          {TITLE}
        </h1>
        <p>{text}</p>
        <Button onClick={() => navigate('/dashboard/boards')}>Go to the boards</Button>
      </div>
    </div>
  );
}

export function Broken({ error }: { error: Error }) {
  const title = 'This page failed';
  usePageTitle(title);
  return (
    <div className="page">
      <div className="empty" role="alert">
        <h1 className="empty-title" tabIndex={-1}>
          {title}
        </h1>
        <p>
          Your saved data is safe. If it happens again, report this to the operator of the service:{' '}
          {error.message}
        </p>
        <div className="row-actions">
          <Button tone="primary" onClick={() => location.reload()}>
            Reload
          </Button>
          <Button onClick={() => location.assign('/dashboard')}>Go to Today</Button>
        </div>
      </div>
    </div>
  );
}
