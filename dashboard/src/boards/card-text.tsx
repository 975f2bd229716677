import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import { type FullCard, readCard } from '../api/boards.js';
import { Button } from '../ui/button.js';
import type { Draft } from '../ui/draft.js';
import { Note } from '../ui/feedback.js';
import { TextArea } from '../ui/field.js';
import { Markdown } from '../ui/markdown.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';
import type { Rights } from './board-rights.js';
import { MarkdownField } from './markdown-field.js';
import type { BoardHandle } from './use-board.js';
import type { Directory } from './use-directory.js';

type TextName = 'title' | 'instructions';

/** An edited text and the text that the edit is based on. */
export type TextEdits = Partial<Record<TextName, { from: string; to: string }>>;

interface CardTextProps {
  card: FullCard;
  draft: Draft<TextEdits>;
  handle: BoardHandle;
  rights: Rights;
  directory: Directory;
}

const NAMES: TextName[] = ['title', 'instructions'];

/** Saves title and instructions only on submit and keeps unsent edits as a draft. */
export function CardText({ card, draft, handle, rights, directory }: CardTextProps) {
  const toast = useToast();
  const form = useRef<HTMLFormElement>(null);
  const edits = draft.value;
  const present = { title: card.title, instructions: card.instructions ?? '' };
  const [writing, setWriting] = useState(present.instructions === '' || edits.instructions !== undefined);
  const contested = NAMES.filter((name) => isContested(edits[name], present[name]));
  const changed = NAMES.filter((name) => edits[name] && edits[name].to !== present[name]);
  const textOf = (name: TextName) => edits[name]?.to ?? present[name];

  function set(name: TextName, to: string) {
    const from = edits[name]?.from ?? present[name];
    const { [name]: _, ...rest } = edits;
    draft.set(to === from ? rest : { ...rest, [name]: { from, to } });
  }
  function keepMine() {
    draft.set(Object.fromEntries(changed.map((name) => [name, { from: present[name], to: textOf(name) }])));
  }
  const save = useAction(async () => {
    const body = Object.fromEntries(
      changed.map((name) => [name, textOf(name).trim() === '' ? null : textOf(name)]),
    );
    const { receipt } = await handle.send(card.id, body, card);
    handle.show(await readCard(card.id));
    draft.clear();
    setWriting(textOf('instructions') === '');
    const perform = () => void handle.undo(card, receipt);
    toast({ text: `${card.ref} saved`, action: { label: 'Undo', perform } });
    settle();
  });
  /** Restores the focus because the pressed button is removed. */
  const settle = () =>
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[data-settle], [data-title]')?.focus(),
    );
  const canSave = changed.length > 0 && contested.length === 0 && textOf('title').trim() !== '';
  function submit(event: FormEvent) {
    event.preventDefault();
    if (canSave) void save.run();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && canSave) void save.run();
  }

  /** Enter submits instead of adding a line break: a title is a single line. */
  function onTitleKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.metaKey && !event.ctrlKey) form.current?.requestSubmit();
  }

  if (!rights.edit)
    return (
      <div className="stack">
        <p className="drawer-title">{card.title}</p>
        {card.instructions && <Markdown text={card.instructions} />}
      </div>
    );
  return (
    <Form
      fault={save.fault}
      busy={save.busy}
      className="stack"
      ref={form}
      onSubmit={submit}
      onKeyDown={onKeyDown}
    >
      <TextArea
        label="Title"
        field="title"
        data-title
        required
        rows={1}
        maxLength={500}
        value={textOf('title')}
        onChange={(event) => set('title', event.target.value.replace(/\s*\n\s*/g, ' '))}
        onKeyDown={onTitleKey}
      />
      {writing || edits.instructions ? (
        <MarkdownField
          label="Instructions"
          field="instructions"
          rows={Math.min(18, Math.max(5, textOf('instructions').split('\n').length + 1))}
          value={textOf('instructions')}
          onChange={(text) => set('instructions', text)}
          names={directory.people.map(({ name }) => name)}
        />
      ) : (
        <section aria-label="Instructions">
          <div className="markdown-field-head">
            <h3>Instructions</h3>
            <button
              type="button"
              className="text-button small"
              data-settle
              onClick={() => {
                setWriting(true);
                requestAnimationFrame(() =>
                  form.current?.querySelector<HTMLElement>('.markdown-field textarea')?.focus(),
                );
              }}
            >
              Edit
            </button>
          </div>
          <Markdown text={present.instructions} />
        </section>
      )}
      {contested.length > 0 ? (
        <Note tone="warn">
          <p>
            Someone changed the {contested.join(' and the ')} while you were writing
            {contested.includes('title') && <>: it is now “{card.title}”</>}. Your text was not saved.
          </p>
          <div className="form-bar">
            <Button
              small
              onClick={() => {
                keepMine();
                settle();
              }}
            >
              Keep my text
            </Button>
            <Button
              small
              tone="quiet"
              onClick={() => {
                draft.clear();
                settle();
              }}
            >
              Use their text
            </Button>
          </div>
        </Note>
      ) : (
        <FormFault />
      )}
      {changed.length > 0 && (
        <div className="form-bar">
          <Button type="submit" tone="primary" busy={save.busy} disabled={!canSave}>
            Save changes
          </Button>
          <Button
            tone="quiet"
            onClick={() => {
              draft.clear();
              save.clear();
              settle();
            }}
          >
            Discard
          </Button>
        </div>
      )}
    </Form>
  );
}

/** Another user changed the text after this edit was started, and to a different text. */
const isContested = (edit: { from: string; to: string } | undefined, present: string): boolean =>
  edit !== undefined && edit.from !== present && edit.to !== present;
