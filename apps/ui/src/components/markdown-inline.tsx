import { createContext, memo, type ReactNode, useContext } from "react";
import { isSafeLink, type MarkdownNode, parseInline, type References } from "./parse-markdown.ts";

/** Link destinations that the text defines. */
export const ReferencesContext = createContext<References>({});

/** Text of a paragraph, heading, or table cell. It is parsed again only if it changes. */
export const MarkdownInline = memo(({ text }: { readonly text: string }) => {
  const references = useContext(ReferencesContext);
  const nodes = parseInline(text, references);
  return nodes === null ? (
    <span className="whitespace-pre-wrap">{text}</span>
  ) : (
    <Nodes nodes={nodes} isInLink={false} />
  );
});

interface NodesProps {
  readonly nodes: readonly MarkdownNode[];
  /** Images in a link are shown as text, because a link can't contain another link. */
  readonly isInLink: boolean;
}

function Nodes({ nodes, isInLink }: NodesProps) {
  return nodes.map((node) => <InlineNode key={node.at} node={node} isInLink={isInLink} />);
}

function InlineNode({ node, isInLink }: { readonly node: MarkdownNode; readonly isInLink: boolean }): ReactNode {
  const { token, children } = node;
  const inside = <Nodes nodes={children} isInLink={isInLink || token.type === "link_open"} />;
  switch (token.type) {
    case "strong_open":
      return <strong className="font-semibold">{inside}</strong>;
    case "em_open":
      return <em>{inside}</em>;
    case "s_open":
      return <s>{inside}</s>;
    case "code_inline":
      return <code className="rounded-[4px] bg-sunken px-1 py-px font-mono text-[0.9em]">{token.content}</code>;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "link_open":
      return <SafeLink url={token.attrGet("href")}>{inside}</SafeLink>;
    case "image":
      return <SafeLink url={isInLink ? null : token.attrGet("src")}>{token.content || "Image"}</SafeLink>;
    default:
      return token.content;
  }
}

function SafeLink({ url, children }: { readonly url: string | number | null; readonly children: ReactNode }) {
  if (typeof url !== "string" || !isSafeLink(url)) return children;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="text-accent underline hover:no-underline">
      {children}
    </a>
  );
}
