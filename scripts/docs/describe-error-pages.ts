import {
  type ErrorCodeStyle,
  type ErrorContext,
  toErrorBody,
  toManagementErrorBody,
} from "../../packages/contracts/src/error-bodies.ts";
import {
  failures,
  type GatewayCode,
  gatewayCodes,
  type ManagementReason,
  managementReasons,
} from "../../packages/contracts/src/failure-table.ts";
import { Failure, ValidationFailure } from "../../packages/contracts/src/failures.ts";
import { type ErrorAdvice, errorAdvice } from "./error-advice.ts";
import { managementAdvice } from "./management-advice.ts";

const STYLE: ErrorCodeStyle = "semantic";
const EXAMPLE: ErrorContext = { requestId: "0199f0c4-…", docsUrl: "https://gateway.example.com/docs" };

/** Returns a page for each gateway error code and each management API reason, by path. */
export function describeErrorPages(): Readonly<Record<string, () => string>> {
  const codes = gatewayCodes.map((code) => [`docs/errors/codes/${code}.md`, () => describeCode(code)] as const);
  const reasons = managementReasons.map(
    (reason) => [`docs/errors/reasons/${reason}.md`, () => describeReason(reason)] as const,
  );
  return Object.fromEntries([...codes, ...reasons]);
}

function describeCode(code: GatewayCode): string {
  const { status, type, name, retryable, meaning } = failures[code];
  const advice = errorAdvice[code];
  return writePage({
    name: code,
    facts: [
      ["Status", `${status}`],
      ["Type", `\`${type}\``],
      ["Class", `\`${name}\`, returned in the \`x-gw-error-name\` header`],
      ["Retry", describeRetry(retryable, status)],
    ],
    meaning,
    advice,
    body: toErrorBody(exampleOf(code, advice), STYLE, EXAMPLE),
    all: "[All gateway errors](../gateway.md)",
  });
}

function exampleOf(code: GatewayCode, { message, param }: ErrorAdvice): Failure {
  if (code === "validation_error") {
    return new ValidationFailure([{ loc: ["body", "messages"], msg: "Field required", type: "missing" }]);
  }
  return new Failure(code, message, param === undefined ? {} : { param });
}

function describeRetry(isRetryable: boolean, status: number): string {
  if (isRetryable)
    return status === 429 || status === 503 ? "Yes, after the number of seconds in `retry-after`" : "Yes";
  return status === 429 || status === 503 ? "No; SDKs receive `x-should-retry: false`" : "No";
}

function describeReason(reason: ManagementReason): string {
  const { management: code, status, meaning } = failures[reason];
  const advice = managementAdvice[reason];
  return writePage({
    name: reason,
    facts: [
      ["Status", `${status}`],
      ["Code", `\`${code}\`, ${reason === code ? "also" : `with \`${reason}\``} in \`details.reason\``],
      [
        "Retry",
        status === 429 || status >= 500 || reason === "IDEMPOTENCY_IN_PROGRESS"
          ? "Yes, after the number of seconds in `Retry-After`"
          : "No",
      ],
    ],
    meaning,
    advice,
    body: toManagementErrorBody(new Failure(reason, advice.message), EXAMPLE),
    all: "[All management API errors](../platform.md)",
  });
}

interface ErrorPage {
  readonly name: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly meaning: string;
  readonly advice: ErrorAdvice;
  readonly body: object;
  readonly all: string;
}

function writePage({ name, facts, meaning, advice, body, all }: ErrorPage): string {
  const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");
  return `# \`${name}\`

${meaning}

| | |
|---|---|
${facts.map(([label, text]) => `| ${label} | ${text} |`).join("\n")}

## Causes

${list(advice.causes)}

## Resolution

${list(advice.fix)}

## Example

\`\`\`json
${JSON.stringify(body, null, 2)}
\`\`\`

${all}
`;
}
