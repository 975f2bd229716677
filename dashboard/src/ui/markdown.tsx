import { Fragment, memo, type ReactNode } from 'react';
import { withRefs } from './card-ref.js';
import { type Block, parseBlocks } from './markdown-blocks.js';
import { parseSpans, type Span } from './markdown-spans.js';
import { TableFrame } from './table-frame.js';

/** Renders elements, never HTML, so that untrusted text cannot run scripts, load files or set styles. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const rest = text.slice(LONGEST);
  return (
    <div className="markdown">
      {parseBlocks(text.slice(0, LONGEST)).map(drawBlock)}
      {rest && <p className="prose">{rest}</p>}
    </div>
  );
});

/** Text after this many characters is shown unformatted, because rendering a megabyte is slow. */
const LONGEST = 60_000;

function drawBlock(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case 'heading': {
      // Starts below the heading levels of the page and its sections.
      const Heading = `h${Math.min(6, block.level + 2)}` as 'h3';
      return <Heading key={key}>{drawSpans(block.text)}</Heading>;
    }
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by keyboard too
        <pre key={key} className="code-block" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return (
        <blockquote key={key} dir="auto">
          {block.blocks.map(drawBlock)}
        </blockquote>
      );
    case 'rule':
      return <hr key={key} />;
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List key={key} dir="auto" start={block.ordered ? block.start : undefined}>
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other name
            <li key={at} className={item.done === undefined ? undefined : 'task-item'}>
              {item.done !== undefined && (
                <input type="checkbox" checked={item.done} readOnly disabled aria-label="Done" />
              )}
              {item.blocks.map(drawTight)}
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return (
        <TableFrame key={key} label={`Table ${key + 1}`}>
          <table>
            <thead>
              <tr>{block.head.map((cell, at) => drawCell('th', cell, at))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no other name
                <tr key={line}>{row.map((cell, at) => drawCell('td', cell, at))}</tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      );
    case 'paragraph':
      return (
        <p key={key} dir="auto">
          {drawSpans(block.text)}
        </p>
      );
  }
}

/** Omits the paragraph around a single-line list item. */
const drawTight = (block: Block, key: number): ReactNode =>
  block.kind === 'paragraph' ? <Fragment key={key}>{drawSpans(block.text)}</Fragment> : drawBlock(block, key);

const drawCell = (Cell: 'th' | 'td', text: string, key: number): ReactNode => (
  <Cell key={key}>{drawSpans(text)}</Cell>
);

const drawSpans = (text: string): ReactNode => drawAll(parseSpans(text), false);

const drawAll = (spans: Span[], inLink: boolean): ReactNode =>
  spans.map((span, key) => drawSpan(span, key, inLink));

/** Card references inside a link are not linked. */
function drawSpan(span: Span, key: number, inLink: boolean): ReactNode {
  switch (span.kind) {
    case 'text':
      return <Fragment key={key}>{inLink ? span.text : withRefs(span.text)}</Fragment>;
    case 'break':
      return <br key={key} />;
    case 'code':
      return <code key={key}>{span.text}</code>;
    case 'strong':
      return <strong key={key}>{drawAll(span.spans, inLink)}</strong>;
    case 'emphasis':
      return <em key={key}>{drawAll(span.spans, inLink)}</em>;
    case 'struck':
      return <s key={key}>{drawAll(span.spans, inLink)}</s>;
    case 'picture':
      return (
        <a key={key} href={span.address} target="_blank" rel="noreferrer noopener">
          <img className="markdown-picture" src={span.address} alt={span.text} loading="lazy" />
        </a>
      );
    case 'link':
      return (
        <a key={key} href={span.address} target="_blank" rel="noreferrer noopener">
          {drawAll(span.spans, true)}
        </a>
      );
  }
}
