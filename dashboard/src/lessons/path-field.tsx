import { useId } from 'react';
import { listNodes } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { SearchIcon } from '../ui/icons.js';
import { useSettled } from '../ui/settled.js';

interface PathFieldProps {
  projectId: string;
  value: string;
  label: string;
  onChange(value: string): void;
}

export function PathField({ projectId, value, label, onChange }: PathFieldProps) {
  const id = useId();
  const typed = useSettled(value.trim());
  const nodes = useResource(
    typed ? `nodes:${projectId}:${typed}` : null,
    (signal) => listNodes(projectId, { prefix: typed }, signal),
    { keep: true },
  );
  return (
    <label className="search-box search-wide">
      <SearchIcon size={16} />
      <span className="off-screen">{label}</span>
      <input
        type="search"
        list={id}
        placeholder={label}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {nodes.data?.items.map((node) => (
          <option key={node.node_id} value={node.path} />
        ))}
      </datalist>
    </label>
  );
}
