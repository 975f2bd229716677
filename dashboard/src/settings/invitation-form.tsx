import { type ReactNode, useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh } from '../api/resource.js';
import { useSession } from '../shell/session.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';

interface InvitationProps {
  title: string;
  invite(address: string): Promise<unknown>;
  /** Fields for the target and the role. */
  children: ReactNode;
  onClose(): void;
}

export function InvitationForm({ title, invite, children, onClose }: InvitationProps) {
  const { brand } = useSession();
  const toast = useToast();
  const [email, setEmail] = useState('');
  const action = useAction(async () => {
    const address = email.trim();
    await invite(address);
    refresh(`invitations:${brand.brand_id}`);
    toast({ text: `Invitation sent to ${address}` });
    onClose();
  });
  return (
    <FormDialog
      title={title}
      submit="Send the invitation"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        field="email"
        type="email"
        required
        maxLength={320}
        hint="Only the owner of this address can accept."
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {children}
    </FormDialog>
  );
}
