import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type CatalogEmployee, changeEmployee, createEmployee } from '../api/operator.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { Checkbox, SelectField, TextArea, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';

const RUNTIMES = { claude_code: 'Claude Code', codex: 'Codex', custom: 'Custom' };

interface EmployeeDialogProps {
  employee: CatalogEmployee | undefined;
  onClose(): void;
}

export function EmployeeDialog({ employee, onClose }: EmployeeDialogProps) {
  const toast = useToast();
  const [fields, setFields] = useState(() => fieldsOf(employee));
  const set = (changes: Partial<Fields>) => setFields({ ...fields, ...changes });
  const action = useAction(async () => {
    const request = requestOf(fields);
    if (employee) await changeEmployee({ ...request, profile_id: employee.profile_id });
    else await createEmployee({ ...request, published: false });
    refresh('operator:catalog');
    toast({
      text: employee ? `${request.name} saved` : `${request.name} created. Publish it when it is ready`,
    });
    onClose();
  });
  return (
    <FormDialog
      title={employee ? `Edit ${employee.name}` : 'New employee'}
      submit={employee ? 'Save' : 'Create employee'}
      shape="wide"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <div className="pair">
        <TextField
          label="Name"
          field="name"
          required
          value={fields.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <TextField
          label="Price of 30 days, in dollars"
          field="price_usd"
          type="number"
          min={0}
          max={1_000_000}
          step="0.01"
          inputMode="decimal"
          hint="Leave empty if included in the subscription."
          value={fields.price}
          onChange={(event) => set({ price: event.target.value })}
        />
      </div>
      <TextArea
        label="Description"
        field="description"
        rows={2}
        hint="The employee’s skills. Shown in the catalog."
        value={fields.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <Checkbox
        label="It has a template and can be hired"
        checked={fields.deployable}
        onChange={(deployable) => set({ deployable })}
      />
      {fields.deployable && <TemplateFields fields={fields} set={set} />}
      <Checkbox
        label="Builder: each hire includes a desk"
        checked={fields.builder}
        onChange={(builder) => set({ builder })}
      />
      {fields.builder && (
        <div className="pair">
          <TextField
            label="Repository"
            field="url"
            type="url"
            placeholder="https://git.example.com/team/project.git"
            value={fields.url}
            onChange={(event) => set({ url: event.target.value })}
          />
          <TextField
            label="Branch"
            field="branch"
            hint="Leave empty for the repository’s own."
            value={fields.branch}
            onChange={(event) => set({ branch: event.target.value })}
          />
        </div>
      )}
    </FormDialog>
  );
}

function TemplateFields({ fields, set }: { fields: Fields; set(changes: Partial<Fields>): void }) {
  return (
    <>
      <div className="pair">
        <SelectField
          label="Runtime"
          field="runtime"
          value={fields.runtime}
          onChange={(event) => set({ runtime: event.target.value })}
        >
          {Object.entries(RUNTIMES).map(([key, label]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Packages"
          field="packages"
          hint="Separated by commas."
          value={fields.packages}
          onChange={(event) => set({ packages: event.target.value })}
        />
      </div>
      <TextArea
        label="Instructions"
        field="instructions"
        rows={4}
        hint="Its instructions."
        value={fields.instructions}
        onChange={(event) => set({ instructions: event.target.value })}
      />
    </>
  );
}

interface Fields {
  name: string;
  description: string;
  price: string;
  deployable: boolean;
  runtime: string;
  packages: string;
  instructions: string;
  builder: boolean;
  url: string;
  branch: string;
}

function fieldsOf(employee: CatalogEmployee | undefined): Fields {
  const { template, repository } = employee ?? {};
  return {
    name: employee?.name ?? '',
    description: employee?.description ?? '',
    price: employee?.price_usd?.toString() ?? '',
    deployable: employee === undefined || template !== null,
    runtime: template?.runtime ?? 'claude_code',
    packages: template?.packages?.join(', ') ?? '',
    instructions: template?.instructions ?? '',
    builder: employee?.builder ?? false,
    url: repository?.url ?? '',
    branch: repository?.branch ?? '',
  };
}

const requestOf = (fields: Fields) => ({
  name: fields.name.trim(),
  description: fields.description.trim(),
  price_usd: fields.price.trim() === '' ? null : Number(fields.price),
  builder: fields.builder,
  template: fields.deployable
    ? {
        runtime: fields.runtime,
        instructions: fields.instructions.trim(),
        packages: fields.packages
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      }
    : null,
  repository:
    fields.builder && fields.url.trim()
      ? { url: fields.url.trim(), branch: fields.branch.trim() || null }
      : null,
});
