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

/** The only time the commands are seen. */
export const InstallerDialog = ({ title, secrets, onClose }: InstallerProps) => (
  <SecretDialog
    title={title}
    warning="These commands hold the desk's token and are shown this once. Run one of them on the machine that becomes the desk, or store it before you go on."
    secrets={{
      'As root': secrets.install_command,
      'As another user, with sudo': secrets.install_command_sudo,
    }}
    onClose={onClose}
  />
);

/** A new install command takes a new token: the old one dies, so it is asked first. */
export function NewCommand({ deskId, first, onClose }: { deskId: string; first: boolean; onClose(): void }) {
  const [secrets, setSecrets] = useState<Secrets>();
  const action = useAction(async () => {
    setSecrets(await regenerateToken(deskId));
    refresh(`timeline:${deskId}`);
  });
  if (secrets) return <InstallerDialog title="New install command" secrets={secrets} onClose={onClose} />;
  return (
    <FormDialog
      title="Make a new install command?"
      submit="Make the command"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p>
        {first
          ? 'The first command was shown when the desk was ordered and cannot be shown again. A new one carries a new token; the earlier command stops working.'
          : 'It carries a new token. The present token dies at once: the desk comes back when the new command has run on it.'}
      </p>
    </FormDialog>
  );
}
