import { listProfiles, type Profile } from '../api/coder-profiles.js';
import { useResource } from '../api/resource.js';
import { goBackTo, Link, navigate, usePlace, withParameters } from '../shell/router.js';
import { Badge, sentence } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Page, Section } from '../ui/page.js';
import { TableFrame } from '../ui/table-frame.js';
import { ProfileDrawer } from './profile-drawer.js';
import { limitOf, nameOfCoder, tierOf } from './profile-words.js';

export function CoderProfilesPage() {
  const profiles = useResource('coder-profiles', listProfiles);
  const open = usePlace().query.get('profile');
  const setOpen = (key: string) => navigate(withParameters({ profile: key }));
  const shown = profiles.data?.find(({ key }) => key === open);
  return (
    <Page
      wide
      title="Coder profiles"
      lead={
        <>
          The settings a build starts with. Values your workspace changed are marked; the rest follow the
          platform. The <Link to="/dashboard/builds">build policy</Link> limits how many builds run.
        </>
      }
    >
      <Loaded of={profiles} rows={8}>
        {(data) => (
          <div className="profile-grid">
            {groupByCoder(data).map(([coder, rows]) => (
              <Section key={coder} title={nameOfCoder(coder)}>
                <ProfileTable label={`Profiles of ${nameOfCoder(coder)}`} profiles={rows} onOpen={setOpen} />
              </Section>
            ))}
          </div>
        )}
      </Loaded>
      {shown && (
        <ProfileDrawer
          key={shown.key}
          profile={shown}
          onClose={() => goBackTo('/dashboard/coder-profiles')}
        />
      )}
    </Page>
  );
}

function groupByCoder(profiles: Profile[]): [string, Profile[]][] {
  const groups = new Map<string, Profile[]>();
  for (const profile of profiles) groups.set(profile.coder, [...(groups.get(profile.coder) ?? []), profile]);
  return [...groups];
}

interface TableProps {
  label: string;
  profiles: Profile[];
  onOpen(key: string): void;
}

function ProfileTable({ label, profiles, onOpen }: TableProps) {
  return (
    <TableFrame label={label}>
      <table className="profiles stacking">
        <thead>
          <tr>
            <th>Tier</th>
            <th>Model</th>
            <th>Effort</th>
            <th>Guard</th>
            <th>Time limit</th>
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => (
            <tr key={profile.key}>
              <td>
                <button type="button" className="text-button" onClick={() => onOpen(profile.key)}>
                  {sentence(tierOf(profile))}
                </button>
              </td>
              <td data-label="Model">
                <Value
                  text={profile.model ?? modelNote(profile)}
                  source={profile.sources.model}
                  quiet={!profile.model}
                />
              </td>
              <td data-label="Effort">
                <Value text={profile.effort ?? 'none'} source={profile.sources.effort} />
              </td>
              <td data-label="Guard">
                <Value
                  text={limitOf(profile) ?? 'none'}
                  source={profile.sources.limit_value}
                  quiet={limitOf(profile) === null}
                />
              </td>
              <td data-label="Time limit">
                {profile.limits.wall_minutes === null ? (
                  <span className="muted">desk’s own</span>
                ) : (
                  `${profile.limits.wall_minutes} min`
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const modelNote = (profile: Profile): string =>
  profile.coder === 'openhands' ? 'the card pins it' : 'account default';

function Value({ text, source, quiet }: { text: string; source: string; quiet?: boolean }) {
  return (
    <span className={quiet ? 'muted' : undefined}>
      {text} {source === 'brand' && <Badge tone="accent">changed</Badge>}
    </span>
  );
}
