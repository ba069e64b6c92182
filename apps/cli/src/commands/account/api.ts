import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { usageError } from "../../cli-error.ts";
import { defineCommand } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { toExactJson } from "../../output/exact-json.ts";
import { readInput } from "../../prompts/prompt.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const PAGE_SIZE = 100;

/** `tollgate api`: sends any API request with the stored credentials. */
export const api = defineCommand({
  examples: [
    "tollgate api GET /api/balance",
    "tollgate api /api/api-keys --all --jq '.data[].name'",
    "tollgate api POST /api/gw/teams -f name=research",
    "tollgate api PUT /api/gw/organizations --input settings.json",
  ],
  notes:
    "Paths under /api go to the platform with your session token. All other paths go to the gateway with TOLLGATE_API_KEY or the key stored at sign-in. With -f, name=text sends a string and name:=json sends a JSON value. For GET requests, the fields become query parameters.",
  arguments: [
    { name: "method", description: `${methods.join(", ")}; defaults to GET` },
    { name: "path", description: "Path, such as /api/balance", optional: true },
  ],
  flags: {
    field: {
      type: "string",
      short: "f",
      multiple: true,
      value: "NAME=VALUE",
      description: "Body field or query parameter",
    },
    input: { type: "string", value: "FILE", description: "JSON file for the request body; - for standard input" },
    "idempotency-key": {
      type: "string",
      value: "KEY",
      description: "Idempotency key; a request retried with the same key is applied only once",
    },
    include: { type: "boolean", short: "i", description: "Also print the status and headers" },
    all: { type: "boolean", description: "Fetch all pages of a list" },
  },
  async run(context, flags, args) {
    const [method, path] = readTarget(args.method, args.path);
    const fields = Object.fromEntries(flags.field.map(readField));
    const isRead = method === "GET";
    const body = await readBody(context, flags.input, isRead ? {} : fields);
    const idempotencyKey = flags["idempotency-key"];
    const ask = (query: object) =>
      send(context, method, path, { query, ...(body !== undefined && { body }), idempotencyKey });
    const answer = await (flags.all ? everyPage(ask, isRead ? fields : {}) : ask(isRead ? fields : {}));
    const { output } = context;
    if (flags.include) {
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
      output.text(`${answer.status}\n${headers}\n`);
    }
    if (answer.data === undefined) return;
    if (typeof answer.data === "object" && answer.data !== null) {
      output.record(answer.data, () => `${toExactJson(answer.data, output.isTerminal ? 2 : undefined)}\n`);
    } else output.text(`${String(answer.data)}\n`);
  },
});

interface ApiAnswer {
  readonly data: unknown;
  readonly status: number;
  readonly headers: Headers;
}

interface ApiRequest {
  readonly query: object;
  readonly body?: object;
  readonly idempotencyKey: string | undefined;
}

async function send(context: CommandContext, method: string, path: string, request: ApiRequest): Promise<ApiAnswer> {
  if (/^\/api(?:\/|$|\?)/.test(path)) return context.platform.request(method, path, request);
  const search = new URLSearchParams(request.query as Record<string, string>).toString();
  const { data, headers } = await context.gateway.request(method, search === "" ? path : `${path}?${search}`, {
    ...(request.body !== undefined && { body: request.body }),
    ...(request.idempotencyKey !== undefined && { headers: { "idempotency-key": request.idempotencyKey } }),
  });
  return { data, headers, status: 200 };
}

/** Returns all pages as one list. */
async function everyPage(ask: (query: object) => Promise<ApiAnswer>, fields: object): Promise<ApiAnswer> {
  const rows: unknown[] = [];
  let query: object = { pageSize: PAGE_SIZE, ...fields };
  for (;;) {
    const answer = await ask(query);
    const { data, meta } = (answer.data ?? {}) as { data?: unknown[]; meta?: Record<string, unknown> };
    if (!Array.isArray(data) || meta === undefined) return answer;
    rows.push(...data);
    const {
      page = 1,
      totalPages = 1,
      nextCursor,
    } = meta as { page?: number; totalPages?: number; nextCursor?: string | null };
    const isLast = nextCursor === undefined ? page >= totalPages : nextCursor === null;
    if (isLast) return { ...answer, data: { data: rows, meta } };
    query = { ...query, ...(nextCursor === undefined ? { page: page + 1 } : { cursor: nextCursor }) };
  }
}

function readTarget(first: string, second: string | undefined): [string, string] {
  const [method, path] = second === undefined ? ["GET", first] : [first.toUpperCase(), second];
  if (!methods.includes(method)) throw usageError(`The method must be one of: ${methods.join(", ")}.`);
  // Accept only paths, because a full URL could send the credentials to any server.
  if (!path.startsWith("/"))
    throw usageError("The path must start with /, for example /api/balance.", "To use another server, add --url URL.");
  return [method, path];
}

function readField(text: string): [string, unknown] {
  const match = /^([^=:]+)(:?=)(.*)$/s.exec(text);
  if (match === null) throw usageError(`Invalid field '${text}': expected name=value.`);
  const [, name = "", sign, value = ""] = match;
  if (sign === "=") return [name, value];
  try {
    return [name, JSON.parse(value)];
  } catch {
    throw usageError(`The value of ${name}:= is not valid JSON.`, `To send a string, use ${name}=VALUE.`);
  }
}

async function readBody(
  context: CommandContext,
  input: string | undefined,
  fields: object,
): Promise<object | undefined> {
  if (input === undefined) return Object.keys(fields).length > 0 ? fields : undefined;
  const text = input === "-" ? await readInput(context.io) : readText(resolve(context.io.cwd, input));
  try {
    return { ...(JSON.parse(text) as object), ...fields };
  } catch {
    throw usageError(`${input} is not valid JSON.`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw usageError(`Could not read ${path}: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}.`);
  }
}
