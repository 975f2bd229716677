import { Button } from './button.js';
import { FormFault } from './refusal.js';

export function SaveBar({
  label,
  busy,
  draft,
}: {
  label: string;
  busy: boolean;
  draft: { dirty: boolean; clear(): void };
}) {
  return (
    <>
      <FormFault />
      <div className="form-bar">
        <Button type="submit" tone="primary" busy={busy} disabled={!draft.dirty}>
          {label}
        </Button>
        {draft.dirty && (
          <Button tone="quiet" onClick={draft.clear}>
            Discard
          </Button>
        )}
      </div>
    </>
  );
}
