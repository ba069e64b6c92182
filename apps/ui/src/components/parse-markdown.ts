import MarkdownIt, { type Env, type MarkdownItOptions, type Token } from "markdown-it";

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

/** Splits text into its top-level blocks. Text inside blocks isn't parsed yet: see `parseInline`. */
export function parseBlocks(text: string): {
  readonly blocks: readonly MarkdownBlock[];
  readonly references: References;
} {
  const env: Env = {};
  const tokens = blockParser.parse(text, env);
  const lines = text.split(/\r\n?|\n/);
  const blocks = toTree(tokens).nodes.map((node) => {
    const [start, end] = node.token.map ?? [0, lines.length];
    return { source: lines.slice(start, end).join("\n"), line: start, node: isTooDeep(node) ? null : node };
  });
  return { blocks, references: env.references ?? {} };
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
