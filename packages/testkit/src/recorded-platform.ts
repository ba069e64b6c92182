import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { findAnswerProblem, findOperation, findRequestProblem, operationOf } from "./management-api.ts";
import recording from "./recorded-platform.generated.json" with { type: "json" };

/** A request that the recorded platform received. */
interface AskedRequest {
  /** Operation ID, or the method and path of a request outside the management API. */
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters. A repeated parameter is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly headers: IncomingMessage["headers"];
}

interface PlannedAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Members = Readonly<Record<string, unknown>>;
type Plan = (request: AskedRequest) => PlannedAnswer;

type Answers = typeof recording.answers;
/** Operations with a recorded answer. */
type RecordedId = keyof Answers;
/** Reasons of the recorded refusals. */
type RecordedReason = keyof typeof recording.refusals;
type IdWithBody = { [Id in RecordedId]: Answers[Id] extends { body: unknown } ? Id : never }[RecordedId];
type BodyOf<Answer> = Answer extends { body: infer Body } ? Body : never;

const answers: Readonly<Record<string, PlannedAnswer>> = recording.answers;

/** Returns a copy of the recorded answer of an operation. */
export function recorded<Id extends IdWithBody>(id: Id): BodyOf<Answers[Id]> {
  return structuredClone(answers[id]?.body) as BodyOf<Answers[Id]>;
}

/** A server that answers the management API from recorded answers. */
interface RecordedPlatform {
  readonly url: string;
  /** Requests so far, oldest first. */
  readonly requests: readonly AskedRequest[];
  /** Requests of one operation so far, oldest first. */
  asked(operation: string): readonly AskedRequest[];
  /** Answers an operation with this body from now on. */
  answers(operation: RecordedId, body: unknown, status?: number): void;
  /** Answers an operation with the recorded answer, in which these members are replaced. */
  edits(operation: RecordedId, members: Members): void;
  /** Serves these rows as a list with pages, as the platform does. */
  lists(operation: RecordedId, rows: readonly unknown[]): void;
  /** Refuses an operation the given number of times, with a recorded refusal. */
  refuses(operation: RecordedId, reason: RecordedReason, times?: number): void;
  /** Chooses the answer of an operation for each request. */
  plans(operation: string, plan: Plan): void;
  /** Stops the server. Throws if a request or an answer didn't match the published description. */
  close(): Promise<void>;
}

/**
 * Starts a platform that knows no rules and keeps no state: it answers from the recording, and checks each request and
 * each answer against the published description.
 */
export async function startRecordedPlatform(): Promise<RecordedPlatform> {
  const requests: AskedRequest[] = [];
  const problems: string[] = [];
  const plans = new Map<string, Plan>();

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.writeHead(500).end();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://recorded");
    const { method = "GET", headers } = request;
    const sent = await text(request);
    const body: unknown = sent === "" ? undefined : JSON.parse(sent);
    const found = findOperation(method, pathname);
    const operation = found?.operation.id ?? `${method} ${pathname}`;
    const asked = { operation, params: found?.params ?? {}, query: readQuery(query), body, headers };
    requests.push(asked);
    const problem = found === null ? null : findRequestProblem(found.operation, { query, headers, body });
    if (problem !== null) throw new Error(`The request of ${operation} is invalid: ${problem}.`);
    const answer = plans.get(operation)?.(asked) ?? answers[operation];
    if (answer === undefined) throw new Error(`${operation} has no recorded answer.`);
    const isRefused = found === null || answer.status >= 400;
    const mismatch = isRefused ? null : findAnswerProblem(found.operation, answer.status, answer.body);
    if (mismatch !== null) throw new Error(`The answer of ${operation} is invalid: ${mismatch}.`);
    reply(response, answer);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    asked: (operation) => requests.filter((request) => request.operation === operation),
    answers(operation, body, status = answers[operation]?.status ?? 200) {
      plans.set(operation, () => ({ status, body }));
    },
    edits(operation, members) {
      const { status, body } = answers[operation] as { status: number; body: Members };
      plans.set(operation, () => ({ status, body: { ...body, ...members } }));
    },
    lists(operation, rows) {
      plans.set(operation, ({ query }) => ({ status: 200, body: pageOf(rows, query) }));
    },
    refuses(operation, reason, times = Infinity) {
      const before = plans.get(operation);
      const refusal: PlannedAnswer = recording.refusals[reason];
      let left = times;
      plans.set(operation, (request) => {
        left -= 1;
        return left >= 0 ? refusal : (before?.(request) ?? (answers[operation] as PlannedAnswer));
      });
    },
    plans(operation, plan) {
      if (!operation.includes(" ")) operationOf(operation);
      plans.set(operation, plan);
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
}

function reply(response: ServerResponse, { status, body, headers }: PlannedAnswer): void {
  response
    .writeHead(status, { "content-type": "application/json", "x-request-id": "req_recorded", ...headers })
    .end(body === undefined ? undefined : JSON.stringify(body));
}

function readQuery(search: URLSearchParams): AskedRequest["query"] {
  const names = [...new Set(search.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

const DEFAULT_PAGE_SIZE = 20;

function pageOf(rows: readonly unknown[], query: AskedRequest["query"]): unknown {
  const page = Number(query.page ?? 1);
  const pageSize = Number(query.pageSize ?? DEFAULT_PAGE_SIZE);
  const meta = { page, pageSize, total: rows.length, totalPages: Math.max(1, Math.ceil(rows.length / pageSize)) };
  return { data: rows.slice((page - 1) * pageSize, page * pageSize), meta };
}
