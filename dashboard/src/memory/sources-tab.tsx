import { useState } from 'react';
import { useAction } from '../api/action.js';
import {
  changeSource,
  createSource,
  deleteSource,
  listAgents,
  listSources,
  SOURCE_TYPES,
  type Source,
  type SourceType,
} from '../api/memory.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm, FormDialog } from '../ui/dialog.js';
import { sentence, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';
import { SelectField, TextField, Toggle } from '../ui/field.js';
import { PlusIcon } from '../ui/icons.js';
import { Section } from '../ui/page.js';
import { focusHeading } from '../ui/row-focus.js';
import { TableFrame } from '../ui/table-frame.js';

export function SourcesTab({ agentId }: { agentId?: string }) {
  const sources = useResource(`memory-sources:${agentId ?? ''}`, (signal) => listSources(agentId, signal));
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Source>();
  return (
    <Section
      title="Conversation sources"
      lead="Where conversations come from. Disabled sources count towards the plan’s limit too."
      actions={
        <Button icon={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
          Add source
        </Button>
      }
    >
      <Loaded of={sources}>
        {(data) =>
          data.sources.length === 0 ? (
            <Empty title="No sources yet">
              Agents learn from the conversations of their sources: folders of sessions, or finished cards.
            </Empty>
          ) : (
            <TableFrame label="Sources">
              <table className="stacking">
                <thead>
                  <tr>
                    <th>Agent</th>
                    <th>Type</th>
                    <th>Settings</th>
                    <th>Last read</th>
                    <th>On</th>
                    <th>
                      <span className="off-screen">Remove</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.sources.map((source) => (
                    <SourceRow key={source.id} source={source} onRemove={() => setRemoving(source)} />
                  ))}
                </tbody>
              </table>
            </TableFrame>
          )
        }
      </Loaded>
      {adding && <AddSourceDialog agentId={agentId} onClose={() => setAdding(false)} />}
      {removing && (
        <Confirm
          title="Remove this source?"
          submit="Remove source"
          onClose={() => setRemoving(undefined)}
          perform={async () => {
            await deleteSource(removing.id);
            refresh('memory-');
            focusHeading();
          }}
        >
          <p>Memories learned from it are kept.</p>
        </Confirm>
      )}
    </Section>
  );
}

function SourceRow({ source, onRemove }: { source: Source; onRemove(): void }) {
  const change = useAction(async (enabled: boolean) => {
    await changeSource(source.id, { enabled });
    refresh('memory-');
  });
  const settings = Object.entries(source.config).map(([key, value]) => `${key}: ${String(value)}`);
  return (
    <tr>
      <td data-label="Agent" className="mono">
        {source.agent_id}
      </td>
      <td data-label="Type">{sentence(source.source_type)}</td>
      <td data-label="Settings" className="mono clip">
        {settings.join(', ') || <span className="muted">none</span>}
        {source.error && <div className="bad small conversation-error">{source.error}</div>}
        {change.fault && <ErrorNote fault={change.fault} />}
      </td>
      <td data-label="Last read">
        <Time at={source.last_picked_up_at} />
      </td>
      <td data-label="On">
        <Toggle
          label={`Source of ${source.agent_id}`}
          checked={source.enabled}
          onChange={(enabled) => void change.run(enabled)}
        />
      </td>
      <td className="right">
        <Button small tone="quiet" onClick={onRemove}>
          Remove
        </Button>
      </td>
    </tr>
  );
}

function AddSourceDialog({ agentId: own, onClose }: { agentId: string | undefined; onClose(): void }) {
  const agents = useResource('memory-agents', listAgents);
  const [agentId, setAgentId] = useState(own ?? '');
  const [type, setType] = useState<SourceType>('claude_code');
  const [path, setPath] = useState('');
  const chosen = agentId || agents.data?.agents[0]?.agent_id || '';
  const action = useAction(async () => {
    await createSource({
      agent_id: chosen,
      source_type: type,
      config: type === 'agentboard' ? {} : { path },
    });
    refresh('memory-');
    onClose();
  });
  return (
    <FormDialog
      title="Add a source"
      submit="Add source"
      action={action}
      disabled={chosen === ''}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <SelectField
        label="Agent"
        field="agent_id"
        value={chosen}
        onChange={(event) => setAgentId(event.target.value)}
      >
        {agents.data?.agents.map((agent) => (
          <option key={agent.agent_id} value={agent.agent_id}>
            {agent.name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Type"
        field="source_type"
        value={type}
        onChange={(event) => setType(event.target.value as SourceType)}
      >
        {SOURCE_TYPES.map((each) => (
          <option key={each} value={each}>
            {sentence(each)}
          </option>
        ))}
      </SelectField>
      {type === 'agentboard' ? (
        <p className="muted">Reads cards that reached done and are assigned to the agent.</p>
      ) : (
        <TextField
          label="Folder"
          field="path"
          required
          hint="Of session files, inside the workspace’s own folder for sources."
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
