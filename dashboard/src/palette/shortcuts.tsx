import { useAllCommands } from '../shell/commands.js';
import { Dialog } from '../ui/dialog.js';
import { Keys } from './keys.js';

export default function Shortcuts({ onClose }: { onClose(): void }) {
  const withKeys = useAllCommands().filter(({ keys }) => keys);
  const groups = [...new Set(withKeys.map(({ group }) => group))];
  return (
    <Dialog title="Keyboard shortcuts" shape="wide" guard="none" onClose={onClose}>
      <div className="shortcut-groups">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl className="shortcuts">
              {withKeys
                .filter((command) => command.group === group)
                .map(({ id, label, keys }) => (
                  <div key={id}>
                    <dt>{label}</dt>
                    <dd>
                      <Keys keys={keys!} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
