import type { ToolEntry } from "../call/request-fields.ts";
import type { RequestedTools } from "../call/requested-tools.ts";

/** Number of tool calls that a hold covers if the request doesn't limit them. */
const DEFAULT_TOOL_CALLS = 8;
/** Largest number of tool calls of a request. Providers stop earlier. */
export const MAX_TOOL_CALLS = 128;

/** Types of tools that the client runs, in any API. `namespace` contains such tools. */
const runByClient =
  /^(?:function$|custom$|local_shell$|apply_patch$|shell$|namespace$|bash_|text_editor_|computer_2|browser_|memory_)/;
const isDeclaration = (name: string): boolean => name === "functionDeclarations" || name === "function_declarations";

interface ToolRequest {
  readonly tools?: unknown;
  readonly web_search_options?: unknown;
  readonly search_parameters?: unknown;
  readonly mcp_servers?: unknown;
  readonly extra_body?: unknown;
}

/**
 * Returns the tools that the provider runs for this request, or undefined if there are none. `limit` is the maximum
 * number of calls of all tools, if the operation has a field for it.
 */
export function requestedTools(request: object, limit: unknown = null): RequestedTools | undefined {
  const { tools, web_search_options: search, search_parameters: live, mcp_servers: servers } = request as ToolRequest;
  const { extra_body: extra } = request as ToolRequest;
  const own = (extra as ToolRequest | null | undefined)?.tools;
  if (tools == null && search == null && live == null && servers == null && own == null) return undefined;
  const run = [...runByProvider(tools), ...runByProvider(own)];
  // Agents send many tools with every request, and run all of them.
  if (run.length === 0 && search == null && live == null && servers == null) return undefined;
  const types = [
    ...run.flatMap(kindsOf),
    ...(search == null ? [] : ["web_search"]),
    ...(live == null ? [] : ["live_search"]),
    ...(servers == null ? [] : ["mcp"]),
  ];
  const maxCalls = maxCallsOf(run, types, limit);
  const searchContext = contextOf(run, search);
  const perCall = run.flatMap((tool) => kindsOf(tool).map((kind) => tokensPerCall(kind, tool, searchContext)));
  const named = types.slice(perCall.length).map((kind) => tokensPerCall(kind, {}, searchContext));
  return {
    types: [...new Set(types)],
    maxCalls,
    tokensPerCall: highestOf([...perCall, ...named]),
    onlySearches: types.every((kind) => searchTools.has(kind)),
    isCodeFree: run.some(runsCodeItself),
    searchContext,
  };
}

/** Tokens that a search adds to the prompt, by the size of its context. */
const searchTokens: Readonly<Record<string, number>> = { low: 4_096, medium: 8_192, high: 16_384 };
/** Tokens that a search in files adds to the prompt: 20 passages of 800 tokens, unless the tool asks for more. */
const FILE_SEARCH_TOKENS = 16_384;
const PASSAGE_TOKENS = 820;

const searchTools: ReadonlySet<string> = new Set([
  "web_search",
  "web_search_preview",
  "live_search",
  "google_search",
  "google_search_retrieval",
  "enterprise_web_search",
  "google_maps",
  "x_search",
]);
const fileSearchTools: ReadonlySet<string> = new Set(["file_search", "collections_search"]);

/**
 * Returns the number of tokens that one call of a tool adds to the prompt; null if the provider doesn't limit the
 * result, such as that of a page, of another server's tool, or of code.
 */
function tokensPerCall(kind: string, tool: ToolEntry, searchContext: string | null): number | null {
  if (searchTools.has(kind)) return searchTokens[searchContext ?? "medium"] ?? null;
  if (fileSearchTools.has(kind)) {
    const { max_num_results: passages } = tool;
    return isLimit(passages) ? Math.max(FILE_SEARCH_TOKENS, passages * PASSAGE_TOKENS) : FILE_SEARCH_TOKENS;
  }
  // The client runs this tool and sends the result in a request of its own.
  if (kind === "computer" || kind.startsWith("computer_use")) return 0;
  return isLimit(tool.max_content_tokens) ? tool.max_content_tokens : null;
}

function highestOf(perCall: readonly (number | null)[]): number | null {
  let highest = 0;
  for (const tokens of perCall) {
    if (tokens === null) return null;
    highest = Math.max(highest, tokens);
  }
  return highest;
}

/** Returns the names of a tool: its type without a date or, in Google's format, its members. */
export function kindsOf(tool: ToolEntry): readonly string[] {
  if (typeof tool.type === "string") return [withoutDate(tool.type)];
  const names = Object.keys(tool).filter((name) => !isDeclaration(name));
  return names.length === 0 ? [""] : names.map(snakeCase);
}

/** Reports whether the provider runs a tool. */
function isRunByProvider(tool: ToolEntry): boolean {
  const { type } = tool;
  if (type === "function") return false;
  if (typeof type === "string") return !runByClient.test(type);
  // A tool without a type is a function, or an object of Google's tools.
  if (type != null || typeof tool.name === "string" || tool.function !== undefined) return false;
  return !Object.keys(tool).every(isDeclaration);
}

const NO_ENTRIES: readonly ToolEntry[] = [];

/** Returns the tools that the provider runs. Most lists have none. Google takes a single tool without a list, too. */
function runByProvider(tools: unknown): readonly ToolEntry[] {
  if (tools == null) return NO_ENTRIES;
  const entries: readonly unknown[] = Array.isArray(tools) ? tools : [tools];
  let found: ToolEntry[] | null = null;
  for (const tool of entries) {
    if (typeof tool !== "object" || tool === null || !isRunByProvider(tool as ToolEntry)) continue;
    found ??= [];
    found.push(tool as ToolEntry);
  }
  return found ?? NO_ENTRIES;
}

/** Returns the limit of all calls, or the sum of the limits of the tools. */
function maxCallsOf(tools: readonly ToolEntry[], types: readonly string[], limit: unknown): number {
  if (isLimit(limit)) return Math.min(limit, MAX_TOOL_CALLS);
  const limited = tools.map((tool) =>
    isLimit(tool.max_uses) && takesLimit(tool) ? tool.max_uses : DEFAULT_TOOL_CALLS,
  );
  const others = Math.max(0, types.length - tools.length) * DEFAULT_TOOL_CALLS;
  return Math.min(
    limited.reduce((sum, calls) => sum + calls, others),
    MAX_TOOL_CALLS,
  );
}

/** The first version of Anthropic's web tools that run code, for which Anthropic bills no code sessions. */
const RUNS_CODE_SINCE = 20_260_209;

/** Reports whether a tool is a version of Anthropic's web tools that runs code to filter its results. */
function runsCodeItself({ type }: ToolEntry): boolean {
  const version = typeof type === "string" ? /^web_(?:search|fetch)_(\d{8})$/.exec(type)?.[1] : undefined;
  return version !== undefined && Number(version) >= RUNS_CODE_SINCE;
}

/** Reports whether a tool has the field `max_uses`. Only Anthropic's tools do, and their types have a date. */
function takesLimit({ type }: ToolEntry): boolean {
  return typeof type === "string" && withoutDate(type) !== type;
}

/** Sizes of a search's context, the largest first. */
const contextSizes = ["high", "medium", "low"];

/** Returns the largest size of a search's context, or one that is unknown. */
function contextOf(tools: readonly ToolEntry[], search: unknown): string | null {
  const sizes = [...tools, search as ToolEntry | null].map((one) => one?.search_context_size);
  const named = sizes.filter((size): size is string => typeof size === "string");
  const rank = (size: string) => contextSizes.indexOf(size);
  return named.toSorted((one, other) => rank(one) - rank(other))[0] ?? null;
}

function isLimit(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function withoutDate(type: string): string {
  return type.replace(/_(?:\d{8}|\d{4}_\d{2}_\d{2})$/, "");
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
