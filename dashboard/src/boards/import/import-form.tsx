import { type FormEvent, useId, useState } from 'react';
import { useAction } from '../../api/action.js';
import { listBoards } from '../../api/boards.js';
import { LARGEST_EXPORT, readFile, readHost, type Source } from '../../api/imports.js';
import { listProjects } from '../../api/lessons.js';
import { useResource } from '../../api/resource.js';
import { navigate, withParameters } from '../../shell/router.js';
import { Button } from '../../ui/button.js';
import { Empty, ErrorNote, Loaded } from '../../ui/feedback.js';
import { SelectField } from '../../ui/field.js';
import { BoardsIcon } from '../../ui/icons.js';
import { fileTarget } from '../file-transfer.js';
import { isHost, SOURCE_NAMES, SOURCES } from './sources.js';

type Way = 'file' | 'project';

export function ImportForm({ boardId }: { boardId: string | null }) {
  const boards = useResource('boards', listBoards);
  return (
    <Loaded of={boards} rows={4}>
      {(data) =>
        data.boards.length === 0 ? (
          <Empty title="No boards yet" icon={<BoardsIcon size={28} />}>
            Cards are imported into a board. Create one first.
          </Empty>
        ) : (
          <Choices boards={data.boards} first={boardId ?? data.boards[0]!.board_id} />
        )
      }
    </Loaded>
  );
}

interface ChoicesProps {
  boards: { board_id: string; name: string; key: string }[];
  first: string;
}

function Choices({ boards, first }: ChoicesProps) {
  const [boardId, setBoardId] = useState(first);
  const [source, setSource] = useState<Source>('csv');
  const [way, setWay] = useState<Way>('file');
  const [file, setFile] = useState<File>();
  const [projectId, setProjectId] = useState('');
  const byProject = way === 'project' && isHost(source);
  const tooLarge = file !== undefined && file.size > LARGEST_EXPORT;
  const action = useAction(async () => {
    const made = byProject ? await readHost(boardId, projectId) : await readFile(boardId, source, file!);
    navigate(withParameters({ import: made.import_id, board: null }));
  });
  const isReady = byProject ? projectId !== '' : file !== undefined && !tooLarge;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) void action.run();
  };
  return (
    <form className="import-form" onSubmit={submit}>
      <div className="pair">
        <SelectField label="Board" value={boardId} onChange={(event) => setBoardId(event.target.value)}>
          {boards.map(({ board_id, name, key }) => (
            <option key={board_id} value={board_id}>
              {name} ({key})
            </option>
          ))}
        </SelectField>
        <SelectField
          label="From"
          value={source}
          onChange={(event) => setSource(event.target.value as Source)}
        >
          {SOURCE_NAMES.map((name) => (
            <option key={name} value={name}>
              {SOURCES[name].label}
            </option>
          ))}
        </SelectField>
      </div>
      {isHost(source) && (
        <SelectField label="How" value={way} onChange={(event) => setWay(event.target.value as Way)}>
          <option value="file">An exported file</option>
          <option value="project">The repository of a connected project</option>
        </SelectField>
      )}
      {byProject ? (
        <ProjectChoice value={projectId} onChange={setProjectId} />
      ) : (
        <FileChoice source={source} file={file} tooLarge={tooLarge} onChange={setFile} />
      )}
      {action.fault && <ErrorNote fault={action.fault} />}
      <div className="form-actions">
        <Button tone="primary" type="submit" busy={action.busy} disabled={!isReady}>
          {action.busy ? 'Reading…' : 'Preview'}
        </Button>
      </div>
    </form>
  );
}

function ProjectChoice({ value, onChange }: { value: string; onChange(projectId: string): void }) {
  const projects = useResource('projects', listProjects);
  return (
    <Loaded of={projects} rows={1}>
      {(data) => (
        <SelectField
          label="Project"
          hint="Guildhall reads all issues and comments with the token of the connection."
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">Choose a project</option>
          {data.projects
            .filter(({ repository }) => repository !== null)
            .map(({ project_id, name, repository }) => (
              <option key={project_id} value={project_id}>
                {name} ({repository!.url})
              </option>
            ))}
        </SelectField>
      )}
    </Loaded>
  );
}

interface FileProps {
  source: Source;
  file: File | undefined;
  tooLarge: boolean;
  onChange(file: File | undefined): void;
}

function FileChoice({ source, file, tooLarge, onChange }: FileProps) {
  const id = useId();
  const { hint, accept } = SOURCES[source];
  const [dropped, setDropped] = useState<File>();
  const take = ([first]: File[]) => {
    setDropped(first);
    onChange(first);
  };
  return (
    <div className="field import-drop" {...fileTarget(take)}>
      <label htmlFor={id}>File</label>
      <input
        id={id}
        type="file"
        accept={accept}
        className="input"
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.files?.[0])}
      />
      {/* The file input shows only files chosen with it, not dropped ones. */}
      {dropped && file === dropped && (
        <p className="import-file" role="status">
          {file.name}
        </p>
      )}
      {tooLarge && (
        <div className="field-error" role="alert">
          The file is larger than 50 MB. Split it.
        </div>
      )}
      <div className="field-hint" id={`${id}-hint`}>
        {hint} You can also drop it here.
      </div>
    </div>
  );
}
