import { useState } from 'react';
import { useAction } from '../api/action.js';
import { createToken, listTokens, revokeToken, SCOPES, type Scope, type Token } from '../api/identity.js';
import { listAgents } from '../api/memory.js';
import { refresh, useResource } from '../api/resource.js';
import { useSession } from '../shell/session.js';
import { AgentMark } from '../ui/actor.js';
import { Button } from '../ui/button.js';
import { Confirm, FormDialog } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Checkbox, SelectField, TextField } from '../ui/field.js';
import { PlusIcon } from '../ui/icons.js';
import { Section } from '../ui/page.js';
import { SecretDialog } from '../ui/secret-dialog.js';
import { ScopeNote, useScopeCeiling } from './scope-note.js';

const DAY_MS = 86_400_000;

export function TokensTab() {
  const tokens = useResource('tokens', listTokens);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  return (
    <Section
      title="Your access tokens"
      lead="For scripts that act as you in this workspace, and for agents that act on your behalf."
      actions={
        <Button icon={<PlusIcon size={16} />} onClick={() => setMaking(true)}>
          New token
        </Button>
      }
    >
      <Loaded of={tokens}>
        {(data) =>
          data.tokens.length === 0 ? (
            <Empty title="No tokens yet">Create one for a script or an agent.</Empty>
          ) : (
            <ul className="rows">
              {data.tokens.map((token) => (
                <li key={token.token_id} className="row">
                  <span className="row-main">
                    <strong>{token.name}</strong>
                    <span className="tags">
                      {token.agent_id && (
                        <Badge tone="accent" title={`Acts as the agent ${token.agent_id}, for you`}>
                          <AgentMark />
                          {token.agent_id}
                        </Badge>
                      )}
                      {token.scopes.map((scope) => (
                        <Badge key={scope}>{scope}</Badge>
                      ))}
                    </span>
                    <span className="muted small">
                      made <Time at={token.created_at} />, last used <Time at={token.last_used_at} />,{' '}
                      {token.expires_at ? (
                        <>
                          expires <Time at={token.expires_at} />
                        </>
                      ) : (
                        'does not expire'
                      )}
                    </span>
                  </span>
                  <Button small tone="quiet" onClick={() => setRevoking(token)}>
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {making && <NewTokenDialog onClose={() => setMaking(false)} />}
      {revoking && (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          submit="Revoke token"
          onClose={() => setRevoking(undefined)}
          perform={async () => {
            await revokeToken(revoking.token_id);
            refresh('tokens');
          }}
        >
          <p>Programs that use this token stop working immediately.</p>
        </Confirm>
      )}
    </Section>
  );
}

function NewTokenDialog({ onClose }: { onClose(): void }) {
  const { scopes: own } = useSession();
  const ceiling = useScopeCeiling();
  const outside = ceiling ? own.filter((scope) => !ceiling.includes(scope)) : [];
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(['brand:read', 'memory:read']);
  const [days, setDays] = useState('90');
  const [agentId, setAgentId] = useState('');
  const agents = useResource('memory-agents', listAgents);
  const [made, setMade] = useState<string>();
  const action = useAction(async () => {
    const expires = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null;
    const allowed = scopes.filter((scope) => !outside.includes(scope));
    const request = { name, scopes: allowed, expires_at: expires, agent_id: agentId || null };
    const { token } = await createToken(request);
    refresh('tokens');
    setMade(token);
  });
  if (made) {
    return (
      <SecretDialog title="Token created" secrets={{ Token: made }} onClose={onClose}>
        Scripts send it as <code>Authorization: Bearer</code>.
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="New token"
      submit="Create token"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="choices">
        <legend>Scopes</legend>
        {SCOPES.filter((scope) => own.includes(scope)).map((scope) => (
          <Checkbox
            key={scope}
            label={<span className="mono">{scope}</span>}
            checked={scopes.includes(scope) && !outside.includes(scope)}
            disabled={outside.includes(scope)}
            onChange={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((each) => each !== scope))}
          />
        ))}
        {outside.map((scope) => (
          <ScopeNote key={scope} scope={scope} />
        ))}
      </fieldset>
      <SelectField
        label="Acts as"
        field="agent_id"
        hint="Actions with an agent’s token show the agent’s name, on your behalf."
        value={agentId}
        onChange={(event) => setAgentId(event.target.value)}
      >
        <option value="">You</option>
        {agents.data?.agents.map(({ agent_id, name: called }) => (
          <option key={agent_id} value={agent_id}>
            {called === agent_id ? called : `${called} (${agent_id})`}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Expires"
        field="expires_at"
        value={days}
        onChange={(event) => setDays(event.target.value)}
      >
        <option value="30">In 30 days</option>
        <option value="90">In 90 days</option>
        <option value="365">In a year</option>
        <option value="">Never</option>
      </SelectField>
    </FormDialog>
  );
}
