import { useState } from 'react';
import { useAction } from '../api/action.js';
import { writeLesson } from '../api/lessons.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { Note } from '../ui/feedback.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { fileOfLesson, LESSON_TYPES, pathOfLesson } from './lesson-file.js';

interface LessonProps {
  projectId: string;
  /** Preset values. */
  beginning: { anchor: string; text: string };
  onClose(): void;
}

export function LessonDialog({ projectId, beginning, onClose }: LessonProps) {
  const toast = useToast();
  const [lesson, setLesson] = useState({ title: '', type: 'rule', area: 'reviews', ...beginning });
  const [warning, setWarning] = useState<string>();
  const set = (field: keyof typeof lesson) => (event: { target: { value: string } }) =>
    setLesson({ ...lesson, [field]: event.target.value });
  const action = useAction(async () => {
    const { written, warnings } = await writeLesson(projectId, {
      path: pathOfLesson(lesson),
      content: fileOfLesson(lesson),
    });
    if (written.length === 0) return setWarning(warnings[0] ?? 'The lesson could not be read');
    refresh('lesson');
    toast({ text: `The lesson “${lesson.title.trim()}” is written` });
    onClose();
  });
  return (
    <FormDialog
      title="Write a lesson"
      shape="wide"
      submit="Write the lesson"
      action={action}
      disabled={!lesson.title.trim() || !lesson.text.trim()}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Title"
        required
        maxLength={200}
        hint="The lesson in one line."
        value={lesson.title}
        onChange={set('title')}
      />
      <SelectField label="Type" value={lesson.type} onChange={set('type')}>
        {LESSON_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </SelectField>
      <TextField
        label="Area"
        required
        hint={`It becomes ${pathOfLesson(lesson)}.`}
        value={lesson.area}
        onChange={set('area')}
      />
      <TextField
        label="About"
        hint="The file or folder the lesson is about."
        spellCheck={false}
        value={lesson.anchor}
        onChange={set('anchor')}
      />
      <TextArea label="Text" required rows={6} value={lesson.text} onChange={set('text')} />
      {warning && <Note tone="warn">{warning}</Note>}
    </FormDialog>
  );
}
