import { useState } from 'react';
import { useAction } from '../api/action.js';
import { listBoards } from '../api/boards.js';
import type { GuildhallError } from '../api/client.js';
import { connectForge, type Forge, type ForgeKind } from '../api/forges.js';
import type { Project } from '../api/lessons.js';
import { putResource, useResource } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { forgeKey } from './forge-key.js';
import { apiOf, KIND_WORDS, KINDS, kindOf, placeOf, TOKEN_HINTS } from './forge-words.js';

interface ConnectProps {
  project: Project;
  /** The connected host, if any: its token is replaced and its settings updated. */
  forge: Forge | undefined;
  onClose(): void;
}

interface ForgeDraft {
  kind: ForgeKind;
  /** Null derives the API address from the repository URL. */
  api: string | null;
  repository: string;
  token: string;
  label: string;
  boardId: string;
}

export function ConnectDialog({ project, forge, onClose }: ConnectProps) {
  const toast = useToast();
  const place = placeOf(project.repository?.url);
  const [draft, setDraft] = useState<ForgeDraft>({
    kind: forge?.kind ?? kindOf(place),
    api: forge?.api_url ?? null,
    repository: forge?.repository ?? place?.repository ?? '',
    token: '',
    label: forge?.issues?.label ?? '',
    boardId: forge?.issues?.board_id ?? '',
  });
  const change = (part: Partial<ForgeDraft>) => setDraft({ ...draft, ...part });
  const api = draft.api ?? apiOf(draft.kind, place);
  const connect = useAction(async () => {
    const label = draft.label.trim();
    const connected = await connectForge({
      project_id: project.project_id,
      kind: draft.kind,
      token: draft.token.trim(),
      ...(api.trim() && { api_url: api.trim() }),
      ...(draft.repository.trim() && { repository: draft.repository.trim() }),
      issues: label ? { label, board_id: draft.boardId || null } : null,
    });
    putResource<Forge | null>(forgeKey(project.project_id), () => connected);
    toast({ text: forge ? 'The connection works and is saved' : `${connected.repository} is connected` });
    onClose();
  });
  const refused = fieldOf(connect.fault);
  const errorOf = (field: string) => (refused === field ? connect.fault?.message : undefined);
  return (
    <FormDialog
      title={forge ? 'Change the connection' : 'Connect the repository’s host'}
      shape="wide"
      submit={forge ? 'Test and save' : 'Test and connect'}
      action={connect}
      disabled={draft.token.trim() === ''}
      onSubmit={() => void connect.run()}
      onClose={onClose}
    >
      <div className="pair">
        <SelectField
          label="Host"
          field="kind"
          error={errorOf('kind')}
          value={draft.kind}
          onChange={(event) => change({ kind: event.target.value as ForgeKind })}
        >
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {KIND_WORDS[kind]}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Repository"
          field="repository"
          placeholder="owner/name"
          required={!place}
          autoComplete="off"
          spellCheck={false}
          error={errorOf('repository')}
          value={draft.repository}
          onChange={(event) => change({ repository: event.target.value })}
        />
      </div>
      <TextField
        label="Token"
        field="token"
        type="password"
        required
        autoComplete="off"
        hint={`${TOKEN_HINTS[draft.kind]} Guildhall tests the token, stores it encrypted and never shows it again.`}
        error={errorOf('token')}
        value={draft.token}
        onChange={(event) => change({ token: event.target.value })}
      />
      <TextField
        label="API address"
        field="api_url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        required={!place}
        hint="An https address. Leave empty to derive it from the repository’s address."
        error={errorOf('api_url')}
        value={api}
        onChange={(event) => change({ api: event.target.value })}
      />
      <IssueFields draft={draft} change={change} />
    </FormDialog>
  );
}

function IssueFields({ draft, change }: { draft: ForgeDraft; change(part: Partial<ForgeDraft>): void }) {
  const wanted = draft.label.trim() !== '';
  const boards = useResource(wanted ? 'boards' : null, listBoards, { freshMs: 60_000 });
  return (
    <div className="pair">
      <TextField
        label="Issues with this label become cards"
        field="label"
        autoComplete="off"
        hint="Leave empty to import no issues."
        value={draft.label}
        onChange={(event) => change({ label: event.target.value })}
      />
      {wanted && (
        <SelectField
          label="On the board"
          field="board_id"
          value={draft.boardId}
          onChange={(event) => change({ boardId: event.target.value })}
        >
          <option value="">A board with the project’s name</option>
          {boards.data?.boards.map(({ board_id, name }) => (
            <option key={board_id} value={board_id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  );
}

/** Assigns a 422 error to a form field by its message. */
function fieldOf(fault: GuildhallError | undefined): string | undefined {
  if (fault?.status !== 422) return undefined;
  const { message } = fault;
  if (/repository does not exist|unknown repository/i.test(message)) return 'repository';
  if (/token/i.test(message)) return 'token';
  if (/kind of host/i.test(message)) return 'kind';
  return /api_url/.test(message) ? 'api_url' : undefined;
}
