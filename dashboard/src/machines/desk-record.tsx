import { useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import { type Environment, removeDeskPhoto, setDeskPhoto, type Workstation } from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Facts, Time } from '../ui/display.js';
import { ErrorNote } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { DeskPhoto } from './desk-photo.js';

interface DeskRecordProps {
  desk: Workstation;
  environment: Environment | undefined;
}

export function DeskRecord({ desk, environment }: DeskRecordProps) {
  const id = desk.workstation_id;
  const input = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLDivElement>(null);
  const [stamp, setStamp] = useState('');
  const photo = useAction(async (file: File | undefined) => {
    await (file ? setDeskPhoto(id, file) : removeDeskPhoto(id));
    setStamp(String(Date.now()));
    refresh(`environment:${id}`);
    refresh('desks');
    // The remove button disappears with the photo.
    chooser.current?.querySelector('button')?.focus();
  });
  return (
    <Section title="Record">
      <div className="photo-line" ref={chooser}>
        <DeskPhoto address={environment?.image_url} size={64} stamp={stamp} />
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/gif,image/webp"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) void photo.run(file);
            event.target.value = '';
          }}
        />
        <Button small busy={photo.busy} onClick={() => input.current?.click()}>
          {environment?.image_url ? 'Replace photo' : 'Add photo'}
        </Button>
        {environment?.image_url && (
          <Button small tone="quiet" busy={photo.busy} onClick={() => void photo.run(undefined)}>
            Remove
          </Button>
        )}
      </div>
      {photo.fault && <ErrorNote fault={photo.fault} />}
      {environment && <Facts items={factsOf(environment)} />}
    </Section>
  );
}

const ISOLATION_WORDS: Record<string, string> = {
  namespace: 'each build in a namespace of its own',
  user: 'each build as a user of its own',
  none: 'none',
};

function factsOf(record: Environment): [string, React.ReactNode][] {
  const facts: [string, React.ReactNode][] = [
    ['Host', record.hostname],
    ['Region', record.region],
    ['Repository', record.repository && <span className="mono">{record.repository.url}</span>],
    [
      'Short code',
      <span key="code" className="mono">
        {record.short_id}
      </span>,
    ],
    ['Mesh address', record.mesh_address && <span className="mono">{record.mesh_address}</span>],
    [
      'Workspace',
      <span key="path" className="mono">
        {record.workspace_path}
      </span>,
    ],
    ['Isolation', record.isolation && ISOLATION_WORDS[record.isolation]],
    ['Waiting to sync', record.pending_sync_count > 0 && String(record.pending_sync_count)],
    ['Code digest', record.sidecar_code_digest && <Digest text={record.sidecar_code_digest} />],
    ['Last upgrade', record.last_upgrade_at && <Time at={record.last_upgrade_at} />],
    ['Ordered', <Time key="ordered" at={record.created_at} />],
  ];
  return facts.filter(([, value]) => Boolean(value));
}

const Digest = ({ text }: { text: string }) => (
  <span className="mono" title={text}>
    {text.slice(0, 12)}
  </span>
);
