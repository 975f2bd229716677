import { useAction } from '../api/action.js';
import { putResource, useResource } from '../api/resource.js';
import {
  FEATURE_KEYS,
  type FeatureKey,
  type Features,
  readFeatures,
  type Switch,
  setFeature,
} from '../api/workspace.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { ActorName } from '../ui/actor.js';
import { Badge, plainWords, Time } from '../ui/display.js';
import { ErrorNote, Loaded } from '../ui/feedback.js';
import { Toggle } from '../ui/field.js';
import { LockIcon } from '../ui/icons.js';
import { Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';

const WORDS: Record<FeatureKey, { name: string; text: string }> = {
  skills: { name: 'Skills', text: 'Packages from the marketplace that give agents their tools.' },
  feed: { name: 'Feed', text: 'News from sources the workspace follows.' },
  machines: { name: 'Machines', text: 'Dedicated desks where agents build.' },
  crm: { name: 'CRM', text: 'Boards for customers and deals.' },
};

export function FeaturesTab() {
  const { brand } = useSession();
  const key = `features:${brand.brand_id}`;
  const features = useResource(key, (signal) => readFeatures(brand.brand_id, signal));
  return (
    <Section
      title="Features of the workspace"
      lead="Turning a feature off hides it from the dashboard and deletes nothing."
    >
      <Loaded of={features}>
        {(data) => (
          <ul className="rows">
            {FEATURE_KEYS.map((feature) => (
              <li key={feature}>
                <FeatureRow feature={feature} state={data.switches[feature]} resourceKey={key} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

interface RowProps {
  feature: FeatureKey;
  state: Switch;
  resourceKey: string;
}

function FeatureRow({ feature, state, resourceKey }: RowProps) {
  const { brand } = useSession();
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const { name, text } = WORDS[feature];
  const change = useAction(async (on: boolean) => {
    const features = await setFeature(brand.brand_id, feature, on);
    putResource<Features>(resourceKey, () => features);
    toast({ text: `${name} is ${on ? 'on' : 'off'}` });
  });
  return (
    <div className="row" data-feature={feature}>
      <span className="row-main">
        <span className="row-title">
          <strong>{name}</strong>
          {state.locked_by_plan && (
            <Badge tone="warn">
              <LockIcon size={12} /> not in the plan
            </Badge>
          )}
        </span>
        <span className="row-text">{text}</span>
        <span className="small muted">
          {whyOf(state)} {holdsOf(state)}
        </span>
        {change.fault && <ErrorNote fault={change.fault} />}
      </span>
      <Toggle
        label={name}
        checked={state.on}
        disabled={!isAdmin || (state.locked_by_plan && !state.on)}
        busy={change.busy}
        onChange={(on) => void change.run(on)}
      />
    </div>
  );
}

function whyOf(state: Switch) {
  const onOff = state.on ? 'On' : 'Off';
  if (state.source === 'data_default') return `${onOff}, because the workspace already had data for it.`;
  if (state.source === 'plan_default') return `${onOff} by the plan.`;
  return (
    <>
      {onOff}, set by <ActorName actor={state.changed_by} nobody="an admin" /> <Time at={state.changed_at} />.
    </>
  );
}

function holdsOf({ holds }: Switch): string {
  const parts = Object.entries(holds).map(([name, count]) => {
    const words = plainWords(name).replace('crm', 'CRM');
    return `${count} ${count === 1 ? words.replace(/s$/, '') : words}`;
  });
  return parts.length > 0 ? `Holds ${parts.join(', ')}.` : '';
}
