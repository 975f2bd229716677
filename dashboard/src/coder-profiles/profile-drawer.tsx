import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  listChanges,
  overrideProfile,
  type Profile,
  type ProfileChange,
  resetSetting,
  type Setting,
} from '../api/coder-profiles.js';
import { putResource, refresh, useResource } from '../api/resource.js';
import { listMembers } from '../api/workspace.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Badge, Facts, plainWords, sentence, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { SelectField, TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';
import { limitOf, nameOfCoder, tierOf } from './profile-words.js';

const MODELS = ['claude-opus-5-5', 'claude-sonnet-5'];
const EFFORTS = ['low', 'medium', 'high'];

export function ProfileDrawer({ profile, onClose }: { profile: Profile; onClose(): void }) {
  const isAdmin = useIsAdmin();
  // The form remounts after each change, so restore the focus for the user who saved it.
  const changedHere = useRef(false);
  return (
    <Dialog shape="drawer" title={`${nameOfCoder(profile.coder)}: ${tierOf(profile)}`} onClose={onClose}>
      <div className="stack">
        <p>{profile.reason}</p>
        <Facts items={factsOf(profile)} />
        {isAdmin && <OverrideForm key={profile.version} profile={profile} changedHere={changedHere} />}
        <ChangeList profile={profile} />
      </div>
    </Dialog>
  );
}

function factsOf(profile: Profile): [string, React.ReactNode][] {
  const facts: [string, React.ReactNode][] = [
    [
      'Key',
      <span key="key" className="mono">
        {profile.key}
      </span>,
    ],
    [
      'Version',
      <span key="version" className="mono">
        {profile.version}
      </span>,
    ],
    ['Recommended for', profile.recommended_for.join(', ')],
    ['Model', <Sourced key="model" profile={profile} field="model" text={profile.model ?? 'default'} />],
    ['Effort', <Sourced key="effort" profile={profile} field="effort" text={profile.effort ?? 'none'} />],
    [
      'Guard',
      <Sourced key="limit" profile={profile} field="limit_value" text={limitOf(profile) ?? 'none'} />,
    ],
    [
      'Time limit',
      profile.limits.wall_minutes === null ? 'the desk’s own' : `${profile.limits.wall_minutes} minutes`,
    ],
    ['Environment', profile.env && <EnvList env={profile.env} />],
  ];
  return facts.filter(([, value]) => Boolean(value));
}

function Sourced({ profile, field, text }: { profile: Profile; field: Setting; text: string }) {
  const changed = profile.sources[field] === 'brand';
  const platform = profile.platform_defaults[field];
  return (
    <span>
      {text} <Badge tone={changed ? 'accent' : 'plain'}>{changed ? 'workspace' : 'platform'}</Badge>
      {changed && <span className="muted small"> platform: {platform ?? 'none'}</span>}
    </span>
  );
}

const EnvList = ({ env }: { env: Record<string, string> }) => (
  <span className="mono small">
    {Object.entries(env).map(([name, value]) => (
      <span key={name} className="block">
        {name}={value}
      </span>
    ))}
  </span>
);

/** Shows only settings that this profile supports, as reported by the service. */
function OverrideForm({ profile, changedHere }: { profile: Profile; changedHere: RefObject<boolean> }) {
  const toast = useToast();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (changedHere.current) heading.current?.focus();
    changedHere.current = false;
  }, [changedHere]);
  const takesModel = profile.coder !== 'codex' && profile.coder !== 'openhands';
  const takesEffort = profile.coder !== 'openhands';
  const highest = profile.platform_defaults.limit_value;
  const current = profile.limits.max_turns ?? profile.limits.max_steps;
  const [model, setModel] = useState('');
  const [effort, setEffort] = useState('');
  const [limit, setLimit] = useState('');

  const adopt = (changed: Profile) => {
    changedHere.current = true;
    putResource<Profile[]>('coder-profiles', (all) =>
      all?.map((each) => (each.key === changed.key ? changed : each)),
    );
    refresh(`profile-changes:${changed.key}`);
  };
  const save = useAction(async () => {
    adopt(
      await overrideProfile(profile.key, {
        ...(model && { model }),
        ...(effort && { effort }),
        ...(limit && { limit_value: Number(limit) }),
      }),
    );
    toast({ text: 'Saved for new builds' });
  });
  const reset = useAction(async (field: Setting) => {
    adopt(await resetSetting(profile.key, field));
    toast({ text: `${sentence(field)} uses the platform’s settings again` });
  });
  const changedFields = (['model', 'effort', 'limit_value'] as const).filter(
    (f) => profile.sources[f] === 'brand',
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    void save.run();
  }

  return (
    <Form className="stack boxed" fault={save.fault ?? reset.fault} busy={save.busy} onSubmit={submit}>
      <h3 ref={heading} tabIndex={-1}>
        Change for this workspace
      </h3>
      <div className="triple">
        {takesModel && (
          <SelectField
            label="Model"
            field="model"
            value={model}
            onChange={(event) => setModel(event.target.value)}
          >
            <option value="">Keep {profile.model}</option>
            {MODELS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
        )}
        {takesEffort && (
          <SelectField
            label="Effort"
            field="effort"
            value={effort}
            onChange={(event) => setEffort(event.target.value)}
          >
            <option value="">Keep {profile.effort}</option>
            {EFFORTS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
        )}
        {highest !== null && (
          <TextField
            label="Guard"
            field="limit_value"
            type="number"
            min={1}
            max={highest}
            placeholder={`Keep ${current}`}
            hint={`1 to ${highest}`}
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
        )}
      </div>
      <FormFault />
      <div className="form-bar">
        <Button type="submit" tone="primary" busy={save.busy} disabled={!model && !effort && !limit}>
          Save override
        </Button>
        {changedFields.map((field) => (
          <Button key={field} busy={reset.busy} onClick={() => void reset.run(field)}>
            {`Reset ${plainWords(field).replace(' value', '')}`}
          </Button>
        ))}
      </div>
    </Form>
  );
}

function ChangeList({ profile }: { profile: Profile }) {
  const { brand } = useSession();
  const changes = useResource(`profile-changes:${profile.key}`, (signal) => listChanges(profile.key, signal));
  const members = useResource(`members:${brand.brand_id}`, (signal) => listMembers(brand.brand_id, signal));
  const nameOf = (change: ProfileChange): string =>
    members.data?.members.find(({ user_id }) => user_id === change.actor_user_id)?.full_name ??
    plainWords(change.actor_role);
  return (
    <section aria-label="History">
      <h3>History</h3>
      <Loaded of={changes} rows={2}>
        {(data) =>
          data.length === 0 ? (
            <p className="muted">Never changed.</p>
          ) : (
            <ol className="plain-list">
              {data.map((change) => (
                <li key={change.id}>
                  <strong>{plainWords(change.field)}</strong> {change.old_value ?? 'platform default'} →{' '}
                  {change.new_value ?? 'platform default'}
                  <div className="muted small">
                    {nameOf(change)}, <Time at={change.created_at} />
                  </div>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}
