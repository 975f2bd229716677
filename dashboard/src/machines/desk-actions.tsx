import { useMemo, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  changeEnvironment,
  type Environment,
  releaseWorkstation,
  requestUpdate,
  type Workstation,
} from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { navigate } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Menu } from '../ui/menu.js';
import { useToast } from '../ui/toast.js';
import { EditDeskDialog } from './edit-desk-dialog.js';
import { NewCommand } from './installer-dialog.js';

type Ask = 'release' | 'command' | 'edit' | undefined;

interface DeskActionsProps {
  desk: Workstation;
  environment: Environment | undefined;
}

export function DeskActions({ desk, environment }: DeskActionsProps) {
  const id = desk.workstation_id;
  const isAdmin = useIsAdmin();
  const [asking, setAsking] = useState<Ask>();
  const close = () => setAsking(undefined);
  const suspended = desk.status === 'suspended';
  const pause = usePause(id);
  const update = useUpdate(id);
  useCommands(
    useMemo(
      () => [
        ...(isAdmin
          ? [{ id: 'desk-update', label: 'Update this desk', group: 'Desk', perform: () => void update() }]
          : []),
        {
          id: 'desk-pause',
          label: suspended ? 'Resume this desk' : 'Suspend this desk',
          group: 'Desk',
          keys: 's',
          perform: () => void pause.run(!suspended),
        },
        {
          id: 'desk-edit',
          label: 'Rename or describe this desk',
          group: 'Desk',
          keys: 'e',
          perform: () => setAsking('edit'),
        },
        {
          id: 'desk-command',
          label: 'Make a new install command',
          group: 'Desk',
          words: 'regenerate token',
          perform: () => setAsking('command'),
        },
        {
          id: 'desk-release',
          label: 'Release this desk',
          group: 'Desk',
          perform: () => setAsking('release'),
        },
      ],
      [isAdmin, suspended, pause.run, update],
    ),
  );
  return (
    <>
      <Button busy={pause.busy} onClick={() => void pause.run(!suspended)}>
        {suspended ? 'Resume' : 'Suspend'}
      </Button>
      {isAdmin && <Button onClick={() => void update()}>Update</Button>}
      <Menu
        label="More"
        items={[
          { label: 'Rename or describe', perform: () => setAsking('edit'), disabled: !environment },
          { label: 'New install command', perform: () => setAsking('command') },
          { label: 'Release desk', perform: () => setAsking('release'), tone: 'danger' },
        ]}
      />
      {asking === 'edit' && environment && (
        <EditDeskDialog deskId={id} environment={environment} onClose={close} />
      )}
      {asking === 'command' && <NewCommand deskId={id} first={!environment?.hostname} onClose={close} />}
      {asking === 'release' && <ReleaseDesk desk={desk} onClose={close} />}
    </>
  );
}

function ReleaseDesk({ desk, onClose }: { desk: Workstation; onClose(): void }) {
  const toast = useToast();
  return (
    <Confirm
      title={`Release ${desk.name}?`}
      submit="Release desk"
      onClose={onClose}
      perform={async () => {
        await releaseWorkstation(desk.workstation_id);
        refresh('desks');
        toast({ text: `${desk.name} is released` });
        navigate('/dashboard/machines');
      }}
    >
      <p>
        The desk leaves the workspace and its token stops working. The machine itself is not changed. You
        cannot undo this.
      </p>
    </Confirm>
  );
}

function usePause(id: string) {
  const toast = useToast();
  const change = async (suspend: boolean): Promise<void> => {
    try {
      await changeEnvironment(id, { status: suspend ? 'suspended' : 'provisioned' });
      refreshDesk(id);
      toast({
        text: suspend
          ? 'Suspended: no builds, no checks'
          : 'Resumed. The desk is ready at its next heartbeat',
        action: { label: 'Undo', perform: () => void change(!suspend) },
      });
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
  };
  return useAction(change);
}

function useUpdate(id: string): () => Promise<void> {
  const toast = useToast();
  const { run } = useAction(async () => {
    try {
      await requestUpdate(id);
      refresh(`updates:${id}`);
      toast({ text: 'Update queued: it runs when no build is running' });
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
  });
  return run as () => Promise<void>;
}

function refreshDesk(id: string): void {
  for (const key of ['desk:', 'environment:', 'timeline:', 'updates:']) refresh(key + id);
  refresh('desks');
}
