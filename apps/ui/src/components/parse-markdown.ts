import MarkdownIt, { type Env, type MarkdownItOptions, type Token } from "markdown-it";
import { highlight } from "./highlight.ts";

/** Number of characters that are parsed. */
const MAX_FORMATTED = 250_000;

/** Number of HTML elements of all formatted blocks. A short text can need many: eight characters are a code block. */
const MAX_ELEMENTS = 10_000;

/**
 * Number of tokens after which the parser stops. An element has at most five tokens, so `MAX_ELEMENTS` is exceeded by then.
 * Without this limit, 250,000 characters could have millions of tokens, because rows of tables are filled with cells.
 */
const MAX_TOKENS = 5 * MAX_ELEMENTS;

/** Number of HTML elements of a code block without its code, such as its label and its copy button. */
const CODE_BLOCK_ELEMENTS = 11;

/**
 * Nested lists and quotes deeper than this are shown as source, and so is text with deeper emphasis, which the parser
 * doesn't limit. A list takes two levels: its own and its item's.
 */
const MAX_NESTING = 40;

const OPTIONS: MarkdownItOptions = { html: false, linkify: true, breaks: true, maxNesting: MAX_NESTING };

const blockParser = new MarkdownIt(OPTIONS).disable(["inline", "linkify", "text_join"]);
const inlineParser = new MarkdownIt(OPTIONS);
for (const parser of [blockParser, inlineParser]) parser.validateLink = isSafeLink;
// A file name such as `main.rs` is not a link, although `rs` is a top-level domain.
inlineParser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
blockParser.core.ruler.push("task_items", ({ tokens }) => markTasks(tokens));
blockParser.block.ruler.before("table", "unparsed", (state, startLine, endLine) => {
  if (state.tokens.length <= MAX_TOKENS) return false;
  state.push("unparsed", "", 0).map = [startLine, endLine];
  state.line = endLine;
  return true;
});

/** Link destinations by name, from definitions such as `[name]: https://example.com`. */
export type References = NonNullable<Env["references"]>;

export interface MarkdownNode {
  readonly token: Token;
  /** Position among the tokens. */
  readonly at: number;
  readonly children: readonly MarkdownNode[];
}

export interface MarkdownBlock {
  readonly source: string;
  /** Line number of the block's start. */
  readonly line: number;
  /** The parsed block; null if it is nested too deeply. */
  readonly node: MarkdownNode | null;
}

interface ParsedMarkdown {
  readonly blocks: readonly MarkdownBlock[];
  /** Source from the first block that exceeds a limit, to be shown as plain text. */
  readonly rest: string;
  readonly references: References;
}

/**
 * Splits text into its top-level blocks, up to `MAX_FORMATTED` characters and `MAX_ELEMENTS` elements, so that a page has
 * a limited size. Text inside blocks isn't parsed yet: see `parseInline`.
 */
export function parseBlocks(text: string): ParsedMarkdown {
  const env: Env = {};
  const formatted = text.slice(0, MAX_FORMATTED);
  const { nodes } = toTree(blockParser.parse(formatted, env));
  const lines = formatted.split(/\r\n?|\n/);
  const sourceOf = (start: number, end?: number) => lines.slice(start, end).join("\n");
  const references = env.references ?? {};
  const blocks: MarkdownBlock[] = [];
  let rest = text.slice(MAX_FORMATTED);
  let elements = 0;
  for (const node of nodes) {
    const [start, end] = node.token.map ?? [0, lines.length];
    elements += countElements(node);
    if (elements > MAX_ELEMENTS) {
      rest = sourceOf(start) + rest;
      break;
    }
    blocks.push({ source: sourceOf(start, end), line: start, node: isTooDeep(node) ? null : node });
  }
  return { blocks, rest, references };
}

/** Parses the text of a paragraph, heading, or table cell. Returns null if it is nested too deeply. */
export function parseInline(text: string, references: References): readonly MarkdownNode[] | null {
  const [inline] = inlineParser.parseInline(text, { references });
  const { nodes, depth } = toTree(inline?.children ?? []);
  return depth > MAX_NESTING ? null : nodes;
}

/** Reports whether a URL can be a link. A `javascript:` or `data:` URL could run code, and a relative URL could act here. */
export function isSafeLink(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url);
}

/** Nests the tokens between an opening and a closing token. Iterates, so that deep nesting can't exhaust the stack. */
function toTree(tokens: readonly Token[]): { readonly nodes: readonly MarkdownNode[]; readonly depth: number } {
  const nodes: MarkdownNode[] = [];
  const open: MarkdownNode[][] = [nodes];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const children: MarkdownNode[] = [];
    open.at(-1)?.push({ token, at, children });
    if (token.nesting !== 1) continue;
    depth = Math.max(depth, open.length);
    open.push(children);
  }
  return { nodes, depth };
}

/** Reports whether the parser stopped at the nesting limit, where it drops the content. */
function isTooDeep({ token, children }: MarkdownNode): boolean {
  return (token.nesting === 1 && token.level >= MAX_NESTING - 1) || children.some(isTooDeep);
}

/** Returns the number of elements that a block needs at most. */
function countElements({ token, children }: MarkdownNode): number {
  return children.reduce((sum, child) => sum + countElements(child), countOwnElements(token));
}

function countOwnElements(token: Token): number {
  switch (token.type) {
    case "inline":
      return countInlineElements(token.content);
    case "fence":
    case "code_block":
      return CODE_BLOCK_ELEMENTS + highlight(token.content).length;
    case "unparsed":
      return Number.POSITIVE_INFINITY;
    case "table_open":
      return 2;
    case "list_item_open":
      return token.meta === null ? 1 : 2;
    default:
      return token.hidden ? 0 : 1;
  }
}

/** Counts the characters that can become elements, because parsing all text whenever it grows would take too long. */
function countInlineElements(text: string): number {
  const breaksAndLinks = text.match(/\n|\[|<|https?:|mailto:/gi)?.length ?? 0;
  const delimiters = text.match(/[*_~`]/g)?.length ?? 0;
  return breaksAndLinks + Math.floor(delimiters / 2);
}

/** Removes the checkbox from the text of list items such as `[x] Done` and sets `isDone` on the items. */
function markTasks(tokens: readonly Token[]): void {
  for (const [index, item] of tokens.entries()) {
    const text = tokens[index + 2];
    if (item.type !== "list_item_open" || tokens[index + 1]?.type !== "paragraph_open" || text === undefined) continue;
    const box = /^\[([ xX])\][ \t]+(?=\S)/.exec(text.content);
    if (box === null) continue;
    text.content = text.content.slice(box[0].length);
    item.meta = { isDone: box[1] !== " " };
  }
}
