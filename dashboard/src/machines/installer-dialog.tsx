import { useState } from 'react';
import { useAction } from '../api/action.js';
import { regenerateToken, type Secrets } from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { SecretDialog } from '../ui/secret-dialog.js';

interface InstallerProps {
  title: string;
  secrets: Secrets;
  onClose(): void;
}

/** The commands are shown only once. */
export const InstallerDialog = ({ title, secrets, onClose }: InstallerProps) => (
  <SecretDialog
    title={title}
    warning="These commands contain the desk’s token and are shown only once. Run one on the machine that becomes the desk, or save it now."
    secrets={{
      'As root': secrets.install_command,
      'As another user, with sudo': secrets.install_command_sudo,
    }}
    onClose={onClose}
  />
);

/** A new install command replaces the desk's token, so it needs confirmation. */
export function NewCommand({ deskId, first, onClose }: { deskId: string; first: boolean; onClose(): void }) {
  const [secrets, setSecrets] = useState<Secrets>();
  const action = useAction(async () => {
    setSecrets(await regenerateToken(deskId));
    refresh(`timeline:${deskId}`);
  });
  if (secrets) return <InstallerDialog title="New install command" secrets={secrets} onClose={onClose} />;
  return (
    <FormDialog
      title="Create a new install command?"
      submit="Create command"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p>
        {first
          ? 'The first command cannot be shown again. The new one contains a new token, and the earlier command stops working.'
          : 'The new command contains a new token. The current token stops working immediately. The desk returns when you run the new command on it.'}
      </p>
    </FormDialog>
  );
}
