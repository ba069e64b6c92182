import { randomBytes } from "node:crypto";
import { type IncomingHttpHeaders, request } from "node:http";
import type { AdversaryStage } from "../stage/stage.ts";

/** A request to the platform, from one of this machine's loopback addresses. */
interface PlatformCall {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Defaults to 127.0.0.1. The platform limits guesses per client address. */
  readonly from?: string;
}

interface PlatformReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: operations have different bodies, and a wrong guess fails the case.
  readonly body: any;
  /** Value of `details.reason`; an empty string if there is none. */
  readonly reason: string;
  readonly headers: IncomingHttpHeaders;
}

/** Sends one request to the platform on its own connection. */
export function askPlatform(
  { tollgate }: AdversaryStage,
  method: string,
  path: string,
  { token, body, headers, from = "127.0.0.1" }: PlatformCall = {},
): Promise<PlatformReply> {
  const text = body === undefined ? null : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        method,
        path,
        host: "127.0.0.1",
        port: tollgate.platformPort,
        localAddress: from,
        agent: false,
        headers: {
          connection: "close",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(text !== null && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (answer) => {
        let received = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          received += part;
        });
        answer.once("error", reject);
        answer.once("end", () => {
          const isJson = String(answer.headers["content-type"] ?? "").startsWith("application/json");
          const parsed = isJson ? JSON.parse(received) : received;
          const reason = isJson ? (parsed?.details?.reason ?? "") : "";
          resolve({ status: answer.statusCode ?? 0, body: parsed, reason, headers: answer.headers });
        });
      },
    );
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}

/** Sends a request. Throws if the response is not a success, which makes the case a crash instead of a failure. */
export async function askOrThrow(stage: AdversaryStage, method: string, path: string, call: PlatformCall = {}) {
  const { status, body, headers } = await askPlatform(stage, method, path, call);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return { body, headers };
}

/** A user who signed up with a password. */
export interface Person {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly userId: number;
  readonly organizationId: string;
  readonly teamId: string;
}

/** Signs up a user, from the given address. */
export async function signUpPerson(
  stage: AdversaryStage,
  { from, email = makeEmail() }: { readonly from?: string; readonly email?: string } = {},
): Promise<Person> {
  const password = randomBytes(18).toString("base64url");
  const { body } = await askOrThrow(stage, "POST", "/api/auth/sign-up", {
    body: { email, password },
    ...(from !== undefined && { from }),
  });
  const { token, user, organization, team } = body;
  return { email, password, token, userId: user.id, organizationId: organization.id, teamId: team.id };
}

export const makeEmail = (): string => `adversary-${randomBytes(8).toString("hex")}@example.org`;

/** Returns the cookies that a response sets, by name. */
export function cookiesOf({ headers }: Pick<PlatformReply, "headers">): ReadonlyMap<string, string> {
  const pairs = (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0] ?? "");
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

/** Counts how often each status, with its reason, was returned. */
export function tally(replies: readonly PlatformReply[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, reason } of replies) {
    const name = reason === "" ? String(status) : `${status} ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
