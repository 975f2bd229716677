import { useState } from 'react';
import { inviteMember } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { SelectField } from '../ui/field.js';
import { InvitationForm } from './invitation-form.js';

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { brand } = useSession();
  const [role, setRole] = useState<'admin' | 'member'>('member');
  return (
    <InvitationForm
      title="Invite"
      invite={(email) => inviteMember(brand.brand_id, { email, role })}
      onClose={onClose}
    >
      <SelectField
        label="Role"
        field="role"
        value={role}
        onChange={(event) => setRole(event.target.value as 'admin' | 'member')}
      >
        <option value="member">Member</option>
        <option value="admin">Admin</option>
      </SelectField>
    </InvitationForm>
  );
}
