import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type PullRequest, tiePullRequest } from '../api/forges.js';
import { putResource, refresh } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';
import { pullRequestKey } from './forge-key.js';
import { readTie } from './pull-request-words.js';

export function TieForm({ cardId, usual }: { cardId: string; usual?: number }) {
  const toast = useToast();
  const [text, setText] = useState(usual === undefined ? '' : String(usual));
  const wish = readTie(text);
  const tie = useAction(async () => {
    const pull = await tiePullRequest({ task_id: cardId, ...wish });
    putResource<PullRequest | null>(pullRequestKey(cardId), () => pull);
    refresh(`card:${cardId}`);
    toast({ text: `The card follows pull request #${pull.number}` });
  });
  return (
    <Form
      className="tie-form"
      fault={tie.fault}
      busy={tie.busy}
      aria-label="Link a pull request"
      onSubmit={() => void tie.run()}
    >
      <TextField
        label="Number or address"
        field={wish && 'number' in wish ? 'number' : 'url'}
        autoComplete="off"
        spellCheck={false}
        placeholder="#12"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" busy={tie.busy} disabled={!wish}>
        Tie
      </Button>
      <FormFault />
    </Form>
  );
}
