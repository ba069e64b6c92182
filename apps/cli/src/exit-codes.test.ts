import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testCli } from "./cli.fixture.ts";

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts an HTTP server that returns the same error for every request. */
async function refusingPlatform(refusal: Refusal): Promise<string> {
  const server = createServer((_, response) => {
    const body = {
      error: "Refused for this test.",
      code: refusal.code,
      details: { reason: refusal.reason },
      requestId: "req_test",
    };
    response
      .writeHead(refusal.status, { "content-type": "application/json", ...refusal.headers })
      .end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const soon = { "retry-after": "0" };

test.for([
  [{ status: 500, code: "SERVER_ERROR" }, 1, null],
  [{ status: 400, code: "VALIDATION_ERROR", reason: "INVALID_FIELD" }, 2, null],
  [{ status: 409, code: "VALIDATION_ERROR", reason: "NAME_TAKEN" }, 2, null],
  [{ status: 422, code: "VALIDATION_ERROR" }, 2, null],
  [{ status: 404, code: "NOT_FOUND", reason: "MODEL_NOT_FOUND" }, 3, "tollgate models list"],
  [{ status: 401, code: "UNAUTHORIZED", reason: "TOKEN_EXPIRED" }, 4, "tollgate login"],
  [{ status: 403, code: "FORBIDDEN", reason: "ROLE_REQUIRED" }, 4, "Contact an organization owner or admin."],
  [{ status: 402, code: "QUOTA_EXCEEDED", reason: "OUT_OF_CREDIT" }, 5, "tollgate credits buy 20"],
  [{ status: 429, code: "QUOTA_EXCEEDED" }, 5, "tollgate credits buy 20"],
  [{ status: 403, code: "TEAM_BLOCKED", reason: "TEAM_BLOCKED" }, 5, "tollgate credits buy 20"],
  [{ status: 429, code: "FORBIDDEN", reason: "RATE_LIMITED", headers: { "retry-after": "60" } }, 6, "Retry in 60 s."],
  [{ status: 503, code: "DB_TIMEOUT", reason: "DB_TIMEOUT", headers: soon }, 7, "Retry in a few seconds."],
  [{ status: 504, code: "SERVER_ERROR", headers: soon }, 7, null],
] as const)("a command that receives %o exits with code %i and prints a fix", async ([refusal, code, fix]) => {
  const url = await refusingPlatform(refusal);
  const cli = testCli({ env: { TOLLGATE_URL: url, TOLLGATE_TOKEN: "a-token" } });
  const reported = await cli.run(["whoami"]);
  expect(reported).toMatchObject({ code, stdout: "" });
  expect(reported.stderr).toContain("✗ Refused for this test.\n");
  if (fix !== null) expect(reported.stderr).toContain(`Fix:  ${fix}`);
  const { stderr } = await cli.run(["whoami", "--json"]);
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: refusal.code,
      message: "Refused for this test.",
      status: refusal.status,
      requestId: "req_test",
      fix,
      docUrl: null,
      retryable: code === 6 || code === 7,
    },
  });
});

test("a command exits with code 7 if the URL is unreachable or the request times out", async () => {
  const cli = testCli({ env: { TOLLGATE_TOKEN: "a-token" } });
  const gone = await cli.run(["whoami", "--url", "http://127.0.0.1:1"]);
  expect(gone).toMatchObject({ code: 7, stderr: expect.stringContaining("tollgate doctor") });
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => silent.closeAllConnections());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const late = await cli.run(["whoami", "--url", url, "--timeout", "0.05"]);
  expect(late).toMatchObject({ code: 7, stderr: expect.stringContaining("within 0.05 s") });
});

test.for([
  [["keys", "lst"], "Did you mean 'tollgate keys list'?"],
  [["kyes", "list"], "Did you mean 'tollgate keys list'?"],
  [["keys", "list", "--tema", "x"], "Did you mean --team?"],
  [["keys", "list", "--status", "gone"], "--status must be one of: active"],
  [["keys", "list", "--limit", "many"], "--limit must be a number"],
  [["keys", "create"], "Missing argument <name>."],
  [["whoami", "now"], "Unexpected argument 'now'."],
  [["whoami", "--csv"], "--csv is only available for lists."],
  [["whoami", "--json=usre"], "Did you mean 'user'? Fields: user, activeOrganizationId, session."],
] as const)(
  "a command with invalid arguments such as %o exits with code 2 and prints a suggestion",
  async ([args, text]) => {
    const cli = testCli({
      env: { TOLLGATE_TOKEN: "a-token", TOLLGATE_URL: await refusingPlatform({ status: 500, code: "X" }) },
    });
    const run = await cli.run(args);
    expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(text) });
  },
);
