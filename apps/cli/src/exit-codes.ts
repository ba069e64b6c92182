import { type ApiError, ConnectionError } from "@tollgate/sdk/http/api-error.ts";

/** Exit codes, the same for every command. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  notPermitted: 4,
  outOfCredit: 5,
  rateLimited: 6,
  temporary: 7,
  someFailed: 8,
  interrupted: 130,
} as const;

export const exitMeanings: Readonly<Record<number, string>> = {
  0: "Success",
  1: "Other failure",
  2: "Invalid usage or input",
  3: "Not found",
  4: "Sign-in required, or permission denied",
  5: "Out of credit, or the team is blocked",
  6: "Rate limited",
  7: "Temporary failure (network, timeout, storage, or upstream); retry later",
  8: "Some items failed",
  130: "Interrupted",
};

const outOfCredit = new Set(["QUOTA_EXCEEDED", "TEAM_BLOCKED", "budget_exceeded"]);

/** Returns the exit code for an API error. */
export function exitCodeOf(error: ApiError): number {
  if (error instanceof ConnectionError) return EXIT.temporary;
  if (outOfCredit.has(error.code) || error.status === 402) return EXIT.outOfCredit;
  return exitCodes[error.status] ?? (error.status >= 400 && error.status < 500 ? EXIT.usage : EXIT.failure);
}

const exitCodes: Readonly<Record<number, number>> = {
  401: EXIT.notPermitted,
  403: EXIT.notPermitted,
  404: EXIT.notFound,
  405: EXIT.notFound,
  408: EXIT.temporary,
  429: EXIT.rateLimited,
  502: EXIT.temporary,
  503: EXIT.temporary,
  504: EXIT.temporary,
};
