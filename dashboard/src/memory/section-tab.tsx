import { useState } from 'react';
import { readSection } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { CopyButton } from '../ui/button.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Checkbox } from '../ui/field.js';
import { Markdown } from '../ui/markdown.js';
import { Section } from '../ui/page.js';

/** Previews the 50 most confident memories as the hourly export writes them. */
export function SectionTab({ agentId }: { agentId: string }) {
  const section = useResource(`memory-section:${agentId}`, (signal) => readSection(agentId, signal));
  const [plain, setPlain] = useState(false);
  const text = section.data?.trim() ?? '';
  return (
    <Section
      title="MEMORY.md"
      lead="The fifty memories with the highest confidence now. The file is written every hour."
      actions={
        text && (
          <>
            <Checkbox label="As text" checked={plain} onChange={setPlain} />
            <CopyButton text={text} />
          </>
        )
      }
    >
      <Loaded of={section} rows={8}>
        {() =>
          !text ? (
            <Empty title="MEMORY.md has no section yet">
              It gets its first section with the first active memory.
            </Empty>
          ) : plain ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by keyboard too
            <pre className="code-block memory-paper" tabIndex={0}>
              <code>{text}</code>
            </pre>
          ) : (
            <div className="memory-paper">
              <Markdown text={withoutMarks(text)} />
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Removes the export's marker comments and raises its headings by one level. */
const withoutMarks = (text: string): string =>
  text
    .replace(/^<!--.*-->$/gm, '')
    .replace(/^#(?=#)/gm, '')
    .trim();
