import { useState } from 'react';
import { useAction } from '../api/action.js';
import {
  type IssuedToken,
  issueToken,
  listWorkspaceMembers,
  listWorkspaceTokens,
  revokeToken,
  type Workspace,
  type WorkspaceToken,
} from '../api/operator.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm, FormDialog } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Checkbox, SelectField, TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { SecretDialog } from '../ui/secret-dialog.js';

type Scope = Workspace['scope_ceiling'][number];

export function WorkspaceTokens({ brandId, ceiling }: { brandId: number; ceiling: Scope[] }) {
  const tokens = useResource(`operator:tokens:${brandId}`, (signal) => listWorkspaceTokens(brandId, signal));
  const [issuing, setIssuing] = useState(false);
  const [revoking, setRevoking] = useState<WorkspaceToken>();
  return (
    <Section
      title="Access tokens"
      actions={
        <Button small onClick={() => setIssuing(true)}>
          Issue a token
        </Button>
      }
    >
      <Loaded of={tokens} rows={1}>
        {(data) =>
          data.tokens.length === 0 ? (
            <p className="muted">None. People create tokens in their settings.</p>
          ) : (
            <ul className="rows" aria-label="Access tokens">
              {data.tokens.map((token) => (
                <li key={token.token_id} className="row">
                  <div className="row-main">
                    <strong>{token.name}</strong>
                    <span className="muted small">
                      {token.agent_id && `${token.agent_id} for `}
                      {token.full_name}, {token.scopes.join(', ') || 'no scopes'}, used{' '}
                      <Time at={token.last_used_at} />
                    </span>
                  </div>
                  <Button small tone="quiet" onClick={() => setRevoking(token)}>
                    Revoke<span className="off-screen"> {token.name}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {issuing && <IssueToken brandId={brandId} ceiling={ceiling} onClose={() => setIssuing(false)} />}
      {revoking && (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          submit="Revoke"
          onClose={() => setRevoking(undefined)}
          perform={async () => {
            await revokeToken(revoking.token_id);
            refresh('operator:tokens');
          }}
        >
          <p>It stops working at once, everywhere. {revoking.full_name} must create a new one.</p>
        </Confirm>
      )}
    </Section>
  );
}

interface IssueProps {
  brandId: number;
  ceiling: Scope[];
  onClose(): void;
}

function IssueToken({ brandId, ceiling, onClose }: IssueProps) {
  const members = useResource(`operator:members:${brandId}`, (signal) =>
    listWorkspaceMembers(brandId, signal),
  );
  const [chosen, setChosen] = useState<number>();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [made, setMade] = useState<IssuedToken>();
  const owner = chosen ?? members.data?.members[0]?.user_id;
  const action = useAction(async () => {
    if (owner === undefined) return;
    setMade(await issueToken({ brand_id: brandId, user_id: owner, name: name.trim(), scopes }));
    refresh('operator:tokens');
  });
  if (made)
    return (
      <SecretDialog
        title={`The token ${made.name}`}
        warning="The token is shown only once. Store it for its owner."
        secrets={{ Token: made.token }}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="Issue a token"
      submit="Issue token"
      action={action}
      disabled={owner === undefined}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="name"
        required
        hint="A name to recognize the token."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Owner"
        field="user_id"
        value={owner ?? ''}
        onChange={(event) => setChosen(Number(event.target.value))}
      >
        {members.data?.members.map((member) => (
          <option key={member.user_id} value={member.user_id}>
            {member.full_name}
          </option>
        ))}
      </SelectField>
      <fieldset className="choices">
        <legend>Scopes</legend>
        {ceiling.map((scope) => (
          <Checkbox
            key={scope}
            label={<span className="mono">{scope}</span>}
            checked={scopes.includes(scope)}
            onChange={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((each) => each !== scope))}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
