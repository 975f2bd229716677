import { useState } from 'react';
import { listBoards } from '../api/boards.js';
import { disconnectForge, type Forge, readForge } from '../api/forges.js';
import type { Project } from '../api/lessons.js';
import { putResource, useResource } from '../api/resource.js';
import { useIsAdmin, useIsGuest } from '../shell/session.js';
import { ActorName } from '../ui/actor.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Facts, Time } from '../ui/display.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { BranchIcon } from '../ui/icons.js';
import { Section } from '../ui/page.js';
import { focusHeading } from '../ui/row-focus.js';
import { useToast } from '../ui/toast.js';
import { ConnectDialog } from './connect-dialog.js';
import { forgeKey } from './forge-key.js';
import { isSimulated, nameOf, webAddress } from './forge-words.js';
import { HookPart } from './hook-part.js';
import { OutsideLink } from './outside-link.js';

const POLL_MS = 15_000;

/** The connection to the repository host: members can see it, admins can change it. */
export function ForgeSection({ project }: { project: Project }) {
  const guest = useIsGuest();
  const { project_id: id } = project;
  const forge = useResource(guest ? null : forgeKey(id), (signal) => readForge(id, signal), {
    pollMs: POLL_MS,
  });
  if (guest) return null;
  return (
    <Section
      title="Repository host"
      lead="Where an accepted build becomes a pull request that the card follows until it is merged."
    >
      <Loaded of={forge} rows={3}>
        {(data) => (data ? <Connected forge={data} project={project} /> : <None project={project} />)}
      </Loaded>
    </Section>
  );
}

function None({ project }: { project: Project }) {
  const admin = useIsAdmin();
  const [connecting, setConnecting] = useState(false);
  return (
    <>
      <Empty
        title="No host is connected"
        icon={<BranchIcon size={26} />}
        action={
          admin && (
            <Button tone="primary" onClick={() => setConnecting(true)}>
              Connect the host
            </Button>
          )
        }
      >
        With GitHub, GitLab or Forgejo connected, accepting a build opens its pull request; its checks and
        reviews come back to the card, and the merge ends it. Issues may become cards.
        {!admin && ' Admins of the workspace can connect it.'}
      </Empty>
      {connecting && (
        <ConnectDialog project={project} forge={undefined} onClose={() => setConnecting(false)} />
      )}
    </>
  );
}

interface PartProps {
  forge: Forge;
  project: Project;
}

function Connected({ forge, project }: PartProps) {
  const address = webAddress(forge);
  return (
    <div className="stack">
      {isSimulated(forge) && (
        <Note>
          This host is simulated. It is part of the demo and runs on this machine. Everything else on this
          page is real.
        </Note>
      )}
      {forge.error && <Note tone="warn">The last request to the host failed: {forge.error}</Note>}
      <Facts
        items={[
          ['Host', nameOf(forge)],
          [
            'Repository',
            address ? (
              <OutsideLink key="repository" href={address}>
                {forge.repository}
              </OutsideLink>
            ) : (
              forge.repository
            ),
          ],
          [
            'Default branch',
            <span key="branch" className="mono">
              {forge.default_branch}
            </span>,
          ],
          ['Issues', <IssueRule key="issues" issues={forge.issues} />],
          [
            'Connected',
            <span key="connected">
              by <ActorName actor={forge.connected_by} nobody="a former member" />,{' '}
              <Time at={forge.connected_at} />
            </span>,
          ],
          ['Last synced', <Time key="asked" at={forge.checked_at} />],
        ]}
      />
      <HookPart forge={forge} projectId={project.project_id} />
      <Changes forge={forge} project={project} />
    </div>
  );
}

function IssueRule({ issues }: Pick<Forge, 'issues'>) {
  const boards = useResource(issues?.board_id ? 'boards' : null, listBoards, { freshMs: 60_000 });
  if (!issues) return <>are not imported</>;
  const board = boards.data?.boards.find(({ board_id }) => board_id === issues.board_id);
  return (
    <span>
      labelled <span className="label-mark">{issues.label}</span> become cards
      {board ? ` of ${board.name}` : issues.board_id ? '' : ' of a board of the project’s name'}
    </span>
  );
}

function Changes({ forge, project }: PartProps) {
  const admin = useIsAdmin();
  const toast = useToast();
  const [asked, setAsked] = useState<'change' | 'disconnect'>();
  if (!admin) return <p className="muted">Admins of the workspace can change this.</p>;
  return (
    <>
      <div className="form-bar">
        <Button onClick={() => setAsked('change')}>Change token</Button>
        <Button tone="quiet" onClick={() => setAsked('disconnect')}>
          Disconnect
        </Button>
      </div>
      {asked === 'change' && (
        <ConnectDialog project={project} forge={forge} onClose={() => setAsked(undefined)} />
      )}
      {asked === 'disconnect' && (
        <Confirm
          title={`Disconnect ${forge.repository}?`}
          submit="Disconnect"
          onClose={() => setAsked(undefined)}
          perform={async () => {
            await disconnectForge(project.project_id);
            putResource<Forge | null>(forgeKey(project.project_id), () => null);
            focusHeading();
            toast({ text: `${forge.repository} is disconnected` });
          }}
        >
          <p>
            Guildhall deletes the token. Open pull requests stay open, but cards no longer follow them.
            Accepted builds end with a pushed branch.
          </p>
        </Confirm>
      )}
    </>
  );
}
