import type { Token } from "markdown-it";
import { memo, type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { CodeBlock } from "./code-block.tsx";
import { MarkdownInline, ReferencesContext } from "./markdown-inline.tsx";
import { type MarkdownBlock, type MarkdownNode, parseBlocks, type References } from "./parse-markdown.ts";

/**
 * Renders Markdown that others wrote, such as model output. HTML is shown as text, images are links, and links lead only
 * to web pages and email addresses. While a text grows, only its changed blocks are parsed and rendered again.
 */
export function FormattedMarkdown({ text }: { readonly text: string }) {
  // React can interrupt the rendering of a deferred text, so that the page reacts to input while a long text streams.
  const deferred = useDeferredValue(text);
  const { blocks, rest, references } = useMemo(() => parseBlocks(deferred), [deferred]);
  return (
    <ReferencesContext value={useUnchanged(references)}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 text-body wrap-anywhere">
        {blocks.map((block) => (
          <Block key={block.line} block={block} />
        ))}
        {rest !== "" && <p className="whitespace-pre-wrap">{rest}</p>}
      </div>
    </ReferencesContext>
  );
}

/** Returns the same object until the references change, because every block renders again for a new object. */
function useUnchanged(references: References): References {
  const [known, setKnown] = useState(references);
  const names = Object.keys(references);
  const isSame =
    names.length === Object.keys(known).length && names.every((name) => known[name]?.href === references[name]?.href);
  if (!isSame) setKnown(references);
  return isSame ? known : references;
}

const Block = memo(
  ({ block }: { readonly block: MarkdownBlock }) =>
    block.node === null ? <p className="whitespace-pre-wrap">{block.source}</p> : <BlockNode node={block.node} />,
  (before, after) => before.block.source === after.block.source,
);

function BlockNode({ node }: { readonly node: MarkdownNode }): ReactNode {
  const { token, children } = node;
  const inside = children.map((child) => <BlockNode key={child.at} node={child} />);
  switch (token.type) {
    case "inline":
      return <MarkdownInline text={token.content} />;
    case "paragraph_open":
      return token.hidden ? inside : <p>{inside}</p>;
    case "heading_open":
      return <Heading level={Number(token.tag.slice(1))}>{inside}</Heading>;
    case "bullet_list_open":
      return <ul className="grid grid-cols-[minmax(0,1fr)] gap-1 pl-5 list-disc">{inside}</ul>;
    case "ordered_list_open":
      return (
        <ol
          start={Number(token.attrGet("start") ?? 1)}
          className="grid grid-cols-[minmax(0,1fr)] gap-1 pl-7 list-decimal"
        >
          {inside}
        </ol>
      );
    case "list_item_open":
      return <ListItem isDone={token.meta?.isDone}>{inside}</ListItem>;
    case "blockquote_open":
      return (
        <blockquote className="grid grid-cols-[minmax(0,1fr)] gap-3 border-l-2 border-border pl-3 text-muted">
          {inside}
        </blockquote>
      );
    case "fence":
    case "code_block":
      return (
        <CodeBlock tabs={[{ label: token.info.trim().split(/\s/)[0] || "Code", code: token.content.trimEnd() }]} />
      );
    case "hr":
      return <hr className="border-border" />;
    case "table_open":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll sideways, also by keyboard.
        <section tabIndex={0} aria-label="Table" className="overflow-x-auto">
          <table className="text-table border-collapse">{inside}</table>
        </section>
      );
    case "thead_open":
      return <thead>{inside}</thead>;
    case "tbody_open":
      return <tbody>{inside}</tbody>;
    case "tr_open":
      return <tr className="border-b border-hairline">{inside}</tr>;
    case "th_open":
      return <th className={`px-2 py-1.5 font-semibold ${alignmentOf(token)}`}>{inside}</th>;
    case "td_open":
      return <td className={`px-2 py-1.5 align-top ${alignmentOf(token)}`}>{inside}</td>;
    default:
      return token.content;
  }
}

function ListItem({ isDone, children }: { readonly isDone: unknown; readonly children: ReactNode }) {
  if (typeof isDone !== "boolean") return <li className="space-y-1">{children}</li>;
  return (
    <li className="relative space-y-1 list-none">
      <input
        type="checkbox"
        checked={isDone}
        disabled
        aria-label={isDone ? "Done" : "Not done"}
        className="absolute -left-5 top-[5px] size-3 accent-accent"
      />
      {children}
    </li>
  );
}

/** Starts at the third level, because the page and its sections have the first two. */
function Heading({ level, children }: { readonly level: number; readonly children: ReactNode }) {
  const Tag = (["h3", "h4", "h5"] as const)[level - 1] ?? "h6";
  const size = level === 1 ? "text-title" : level === 2 ? "text-section" : "text-body";
  return <Tag className={`mt-1 first:mt-0 font-semibold ${size}`}>{children}</Tag>;
}

const ALIGNMENTS: Readonly<Record<string, string>> = {
  "text-align:center": "text-center",
  "text-align:right": "text-right",
};

function alignmentOf(cell: Token): string {
  return ALIGNMENTS[cell.attrGet("style") ?? ""] ?? "text-left";
}
