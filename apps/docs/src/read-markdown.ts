import { Lexer, type Token, type Tokens, walkTokens } from "marked";

interface Heading {
  readonly level: number;
  readonly text: string;
  /** URL fragment of the heading. */
  readonly anchor: string;
}

export interface Code {
  /** Words after the fence, such as `sh` and `runnable`. */
  readonly words: readonly string[];
  readonly text: string;
}

/** Parses a page into blocks, such as headings, paragraphs, and tables. */
export function readBlocks(markdown: string): readonly Token[] {
  return Lexer.lex(markdown, { gfm: true });
}

/** Returns all links and images on a page. */
export function listLinks(markdown: string): readonly string[] {
  const links: string[] = [];
  walk(readBlocks(markdown), (token) => {
    if (token.type === "link" || token.type === "image") links.push((token as Tokens.Link).href);
  });
  return links;
}

/** Returns the headings with their anchors, in order. */
export function listHeadings(markdown: string): readonly Heading[] {
  const nameAnchor = createAnchors();
  const headings: Heading[] = [];
  walk(readBlocks(markdown), (token) => {
    if (token.type !== "heading") return;
    const text = plainText([token]);
    headings.push({ level: (token as Tokens.Heading).depth, text, anchor: nameAnchor(text) });
  });
  return headings;
}

/** Returns the fenced code blocks on a page, in order. */
export function listCode(markdown: string): readonly Code[] {
  const found: Code[] = [];
  walk(readBlocks(markdown), (token) => {
    if (token.type !== "code") return;
    const { lang, text } = token as Tokens.Code;
    found.push({ words: (lang ?? "").split(/\s+/).filter((word) => word !== ""), text });
  });
  return found;
}

/**
 * Creates the same anchors as GitHub, so that links work both on GitHub and on the site. Duplicate anchors get a
 * numeric suffix.
 */
export function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  };
}

/** Returns the visible text, without markup. */
export function plainText(tokens: readonly Token[]): string {
  const parts: string[] = [];
  const collect = (list: readonly Token[]): void => {
    for (const token of list) {
      if ("tokens" in token && token.tokens !== undefined) collect(token.tokens);
      else if (token.type === "list") for (const item of (token as Tokens.List).items) collect(item.tokens);
      else if (token.type === "table") collectTable(token as Tokens.Table);
      else if ("text" in token && token.type !== "html") parts.push(token.text as string);
      if (isBlock(token)) parts.push(" ");
    }
  };
  const collectTable = ({ header, rows }: Tokens.Table): void => {
    for (const cell of [...header, ...rows.flat()]) {
      collect(cell.tokens);
      parts.push(" ");
    }
  };
  collect(tokens);
  return parts.join("").replaceAll(/\s+/g, " ").trim();
}

/** Reports whether the token is a block. The end of a block is also the end of a word. */
function isBlock(token: Token): boolean {
  if (token.type === "text") return "tokens" in token && token.tokens !== undefined;
  return ["heading", "paragraph", "list_item", "code", "blockquote"].includes(token.type);
}

function walk(tokens: readonly Token[], visit: (token: Token) => void): void {
  walkTokens([...tokens], visit);
}
