import { managementOperations } from "../apps/platform/src/operations.ts";
import { describeManagementInterface } from "../apps/platform/src/system/get-openapi.ts";
import { type ManagementReason, managementFailures } from "../packages/contracts/src/management/failure.ts";

/** The management interface as it is published. */
export function describeManagement(): object {
  return describeManagementInterface(managementOperations());
}

const intro = `# Errors of the management interface

Every refusal under \`/api\` has this body:

\`\`\`json
{"error":"name must be 1 to 100 characters","code":"VALIDATION_ERROR","details":{"reason":"INVALID_FIELD","fields":{"name":"…"}},"requestId":"…"}
\`\`\`

\`code\` is one of eight and never grows; \`details.reason\` tells finer things apart. \`requestId\`, also in \`x-request-id\`, is
the id to quote when reporting one. Where waiting helps, \`Retry-After\` says for how many seconds.
`;

/** The error reference of the management interface, one table per code. */
export function describeManagementErrors(): string {
  const reasons = Object.keys(managementFailures) as ManagementReason[];
  const byCode = Map.groupBy(reasons, (reason) => managementFailures[reason].code);
  const sections = [...byCode].map(([code, listed]) => {
    const rows = listed.map((reason) => {
      const { status, meaning } = managementFailures[reason];
      return `| [\`${reason}\`](reasons/${reason}.md) | ${status} | ${meaning} |`;
    });
    return [`## ${code}`, "", "| Reason | Status | Meaning |", "|---|---|---|", ...rows, ""].join("\n");
  });
  return [intro, ...sections].join("\n");
}
