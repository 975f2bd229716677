import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type FullCard, readCard } from '../api/boards.js';
import {
  type Build,
  type CoderList,
  listBuildsOfCard,
  listCoders,
  type NewBuild,
  previewBrief,
  startBuild,
} from '../api/builds.js';
import { listProfiles, type Profile } from '../api/coder-profiles.js';
import { listWorkstations, type Workstation } from '../api/machines.js';
import { refresh, useResource } from '../api/resource.js';
import { Link, navigate } from '../shell/router.js';
import { Dialog, FormDialog } from '../ui/dialog.js';
import { plainWords } from '../ui/display.js';
import { useDraft } from '../ui/draft.js';
import { Loaded, Note } from '../ui/feedback.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { Markdown } from '../ui/markdown.js';
import { buildAddress, canRun, coderName, coderOfProfile, describeCoder, isReview } from './build-words.js';
import { OpenBuildLink } from './changes/review.js';
import { type Readiness, useReadiness } from './use-obstacles.js';
import { useWishKey } from './wish-key.js';

interface StartProps {
  taskId: string;
  before?: Build;
  onClose(): void;
}

export function StartBuildDialog({ taskId, before, onClose }: StartProps) {
  const card = useResource(`card:${taskId}`, (signal) => readCard(taskId, signal));
  const builds = useResource(`builds:card:${taskId}`, (signal) => listBuildsOfCard(taskId, signal));
  const readiness = useReadiness({ project_id: card.data?.project_id ?? null }, builds.data?.builds);
  if (!card.data || !builds.data)
    return (
      <Dialog title="Start a build" shape="wide" onClose={onClose}>
        <Loaded<unknown> of={card.fault ? card : builds} rows={5}>
          {() => null}
        </Loaded>
      </Dialog>
    );
  return (
    <StartForm
      card={card.data}
      builds={builds.data.builds}
      readiness={readiness}
      continued={before?.head_sha ? before.build_id : ''}
      onClose={onClose}
    />
  );
}

interface FormProps {
  card: FullCard;
  builds: Build[];
  readiness: Readiness;
  continued: string;
  onClose(): void;
}

interface Wish {
  coder: string;
  profile: string;
  desk: string;
  branch: string;
  continues: string;
  note: string;
}

function StartForm({ card, builds, readiness, continued, onClose }: FormProps) {
  const profiles = useResource('coder-profiles', listProfiles, { freshMs: 60_000 });
  const desks = useResource('desks', listWorkstations, { pollMs: 10_000 });
  const coders = useResource('coders', listCoders, { pollMs: 10_000 }).data?.coders ?? [];
  const none: Wish = { coder: '', profile: '', desk: '', branch: '', continues: continued, note: '' };
  const draft = useDraft(`build:${card.id}`, none);
  const wish = draft.value;
  const set = (changes: Partial<Wish>) => draft.set({ ...wish, ...changes });
  const choice = chooseFor(card, wish, profiles.data ?? []);
  const keyFor = useWishKey();

  const action = useAction(async () => {
    const build = await startBuild(card.id, toBuild(wish), keyFor(wish));
    draft.clear();
    refresh('builds:');
    navigate(buildAddress(build.build_id));
  });
  const { obstacle, branch } = readiness;
  return (
    <FormDialog
      title={`Build ${card.ref}`}
      shape="wide"
      submit="Start build"
      action={action}
      disabled={readiness.loading || obstacle !== undefined}
      dirty={false}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      {obstacle && (
        <Note tone="warn">
          {obstacle.text} {obstacle.link && <Link to={obstacle.link.to}>{obstacle.link.label}</Link>}
        </Note>
      )}
      <div className="pair">
        <CoderFields
          choice={choice}
          coders={coders}
          wish={wish}
          profiles={profiles.data ?? []}
          onChange={set}
        />
        <DeskField
          desks={desks.data?.workstations}
          coder={choice.coder}
          coders={coders}
          value={wish.desk}
          onChange={set}
        />
        <TextField
          label="Base branch"
          field="base_branch"
          placeholder={branch ?? 'the repository’s own'}
          value={wish.branch}
          onChange={(event) => set({ branch: event.target.value })}
        />
      </div>
      <ContinueField builds={builds} value={wish.continues} onChange={set} />
      <TextArea
        label="Note for this attempt"
        field="note"
        hint="Extra instructions for the coder. Markdown."
        rows={3}
        maxLength={20_000}
        value={wish.note}
        onChange={(event) => set({ note: event.target.value })}
      />
      <BriefPreview taskId={card.id} note={wish.note} />
      <OpenBuildLink fault={action.fault} />
    </FormDialog>
  );
}

const toBuild = ({ coder, profile, desk, branch, continues, note }: Wish): NewBuild => ({
  ...(coder && { coder }),
  ...(profile && { profile }),
  ...(desk && { workstation_id: desk }),
  ...(branch.trim() && { base_branch: branch.trim() }),
  ...(continues && { continues }),
  ...(note.trim() && { note: note.trim() }),
});

/** Mirrors the service's default: the card's profile, then the coder's profile for this type of work. */
function chooseFor(
  card: FullCard,
  wish: Wish,
  profiles: Profile[],
): { coder: string; profile: string | undefined } {
  const has = (key: string | undefined) => profiles.some((each) => each.key === key);
  if (wish.profile) return { coder: coderOfProfile({ key: wish.profile }), profile: wish.profile };
  const own = (card.agent_context as { profile?: unknown } | null)?.profile;
  if (typeof own === 'string' && has(own)) {
    const coder = coderOfProfile({ key: own });
    if (!wish.coder || wish.coder === coder) return { coder, profile: own };
  }
  const coder = wish.coder || 'claude';
  const usual = `${coder}.${card.task_type}`;
  return { coder, profile: has(usual) ? usual : undefined };
}

interface CoderProps {
  choice: { coder: string; profile: string | undefined };
  coders: CoderList['coders'];
  wish: Wish;
  profiles: Profile[];
  onChange(changes: Partial<Wish>): void;
}

function CoderFields({ choice, coders, wish, profiles, onChange }: CoderProps) {
  // Built-in coders that the plan leaves out have no profile.
  const offered = coders.filter(
    ({ name, builtin }) => !builtin || profiles.some((each) => coderOfProfile(each) === name),
  );
  const fitting = profiles.filter((each) => !wish.coder || coderOfProfile(each) === wish.coder);
  return (
    <>
      <SelectField
        label="Coder"
        field="coder"
        value={wish.coder}
        onChange={(event) => onChange({ coder: event.target.value, profile: '', desk: '' })}
      >
        <option value="">Usual: {coderName(choice.coder)}</option>
        {offered.map((coder) => (
          <option key={coder.name} value={coder.name}>
            {describeCoder(coder)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Profile"
        field="profile"
        value={wish.profile}
        onChange={(event) => onChange({ profile: event.target.value, desk: '' })}
      >
        <option value="">Usual: {wish.profile ? 'by the card' : (choice.profile ?? 'none')}</option>
        {fitting.map(({ key }) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </SelectField>
    </>
  );
}

interface DeskProps {
  desks: Workstation[] | undefined;
  coder: string;
  coders: CoderList['coders'];
  value: string;
  onChange(changes: Partial<Wish>): void;
}

function DeskField({ desks, coder, coders, value, onChange }: DeskProps) {
  const fitting = desks?.filter((desk) => canRun(desk, coder, coders)) ?? [];
  const ready = fitting.filter((desk) => desk.ready);
  const waits = desks !== undefined && ready.length === 0;
  return (
    <SelectField
      label="Desk"
      field="workstation_id"
      value={value}
      onChange={(event) => onChange({ desk: event.target.value })}
      hint={
        waits ? `No ready desk can run ${coderName(coder)}: the build waits until one is ready.` : undefined
      }
    >
      <option value="">Any matching desk ({ready.length} ready)</option>
      {fitting.map((desk) => (
        <option key={desk.workstation_id} value={desk.workstation_id} disabled={desk.status === 'suspended'}>
          {desk.ready ? desk.name : `${desk.name} (${plainWords(desk.status)})`}
        </option>
      ))}
    </SelectField>
  );
}

interface ContinueProps {
  builds: Build[];
  value: string;
  onChange(changes: Partial<Wish>): void;
}

function ContinueField({ builds, value, onChange }: ContinueProps) {
  const usable = builds.filter((build) => build.finished_at && build.head_sha && !isReview(build));
  if (usable.length === 0) return null;
  return (
    <SelectField
      label="Start from"
      field="continues"
      value={value}
      onChange={(event) => onChange({ continues: event.target.value })}
    >
      <option value="">The base branch</option>
      {usable.map((build) => (
        <option key={build.build_id} value={build.build_id}>
          The commits of attempt {build.attempt} ({plainWords(build.status)})
        </option>
      ))}
    </SelectField>
  );
}

function BriefPreview({ taskId, note }: { taskId: string; note: string }) {
  const [open, setOpen] = useState(false);
  const brief = useResource(open ? `brief-of-card:${taskId}` : null, (signal) =>
    previewBrief(taskId, signal),
  );
  return (
    <details className="brief-preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Preview of the brief</summary>
      {open && (
        <Loaded of={brief} rows={3}>
          {(text) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard too
            <section className="build-paper brief-paper" tabIndex={0} aria-label="Brief">
              {note.trim() && <p className="muted small">Your note is added when the build starts.</p>}
              <Markdown text={text} />
            </section>
          )}
        </Loaded>
      )}
    </details>
  );
}
