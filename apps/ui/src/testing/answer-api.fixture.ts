import type { OperationId, Operations } from "@tollgate/sdk/platform";
import { operationPaths } from "@tollgate/sdk/platform/operations.generated.ts";
import { vi } from "vitest";

/** A request that the console sent. */
interface SentRequest {
  readonly id: OperationId;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Amounts are digit strings, as on the wire. */
  readonly body: unknown;
}

/** A refusal by the server. */
export class Refusal {
  readonly status: number;
  readonly message: string;

  constructor(status: number, message: string) {
    this.status = status;
    this.message = message;
  }
}

type Outcome<Id extends OperationId> = Operations[Id]["answer"] | Refusal;

/** Answers by operation: a value for every request, or a function of the request. */
export type Answers = {
  readonly [Id in OperationId]?: Outcome<Id> | ((sent: SentRequest) => Outcome<Id> | Promise<Outcome<Id>>);
};

/** Answers the console's requests as the server would. Returns the list of all requests so far. */
export function answerApi(answers: Answers): SentRequest[] {
  const sent: SentRequest[] = [];
  vi.stubGlobal("fetch", async (input: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input, "http://console.test");
    const id = findOperation(answers, init.method ?? "GET", url.pathname);
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const request = { id, query: url.searchParams, headers: new Headers(init.headers), body };
    sent.push(request);
    const answer = answers[id];
    return toResponse(await (typeof answer === "function" ? answer(request) : answer));
  });
  return sent;
}

function findOperation(answers: Answers, method: string, path: string): OperationId {
  const found = (Object.keys(answers) as OperationId[]).find((id) => {
    const [itsMethod, itsPath] = operationPaths[id];
    return method === itsMethod && new RegExp(`^${itsPath.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
  });
  if (found === undefined) throw new Error(`The test has no answer for ${method} ${path}.`);
  return found;
}

function toResponse(outcome: unknown): Response {
  const headers = { "content-type": "application/json", "x-request-id": "req_1" };
  if (!(outcome instanceof Refusal)) return new Response(JSON.stringify(withAmounts(outcome)), { headers });
  const { status, message } = outcome;
  const body = { error: message, code: "VALIDATION_ERROR", requestId: "req_1" };
  return new Response(JSON.stringify(body), { status, headers });
}

/** Writes each amount as the server does: as a number, and exactly in the record's `usd`. */
function withAmounts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAmounts);
  if (typeof value !== "object" || value === null) return value;
  const usd: Record<string, string> = {};
  const members = Object.entries(value).map(([name, member]) => {
    if (typeof member !== "bigint") return [name, withAmounts(member)] as const;
    usd[name] = toText(member);
    return [name, Number(member)] as const;
  });
  return { ...Object.fromEntries(members), ...(Object.keys(usd).length > 0 && { usd }) };
}

function toText(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(10, "0");
  return `${nano < 0n ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
