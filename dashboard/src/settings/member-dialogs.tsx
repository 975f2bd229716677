import { useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh } from '../api/resource.js';
import { changeMember, type Member, setPassword } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { FormDialog } from '../ui/dialog.js';
import { Checkbox, PasswordField, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';

interface MemberDialogProps {
  member: Member;
  onClose(): void;
}

export function PositionDialog({ member, onClose }: MemberDialogProps) {
  const { brand } = useSession();
  const [position, setPosition] = useState(member.position ?? '');
  const action = useAction(async () => {
    await changeMember(brand.brand_id, member.user_id, { position: position.trim() || null });
    refresh(`members:${brand.brand_id}`);
    onClose();
  });
  return (
    <FormDialog
      title={`Position of ${member.full_name}`}
      submit="Save"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Position"
        field="position"
        hint="Left empty, none is shown."
        maxLength={1000}
        value={position}
        onChange={(event) => setPosition(event.target.value)}
      />
    </FormDialog>
  );
}

export function SetPasswordDialog({ member, onClose }: MemberDialogProps) {
  const { brand } = useSession();
  const toast = useToast();
  const [password, setNewPassword] = useState('');
  const [sendMail, setSendMail] = useState(true);
  const action = useAction(async () => {
    const { message } = await setPassword(brand.brand_id, member.user_id, { password, send_email: sendMail });
    toast({ text: message });
    onClose();
  });
  return (
    <FormDialog
      title={`Set a password for ${member.full_name}`}
      submit="Set password"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <PasswordField
        label="New password"
        field="password"
        fresh
        hint="At least 8 characters. Sessions of this person end."
        value={password}
        onChange={setNewPassword}
      />
      <Checkbox label="Notify the person by e-mail" checked={sendMail} onChange={setSendMail} />
    </FormDialog>
  );
}
