import { managementOperations } from "../apps/platform/src/operations.ts";
import { describeManagementInterface } from "../apps/platform/src/system/get-openapi.ts";
import { failures, managementReasons } from "../packages/contracts/src/failure-table.ts";

/** Returns the published management API description. */
export function describeManagement(): object {
  return describeManagementInterface(managementOperations());
}

const intro = `# Management API errors

Look up a management API error by its reason. Every error under \`/api\` has this body:

\`\`\`json
{"error":"name must be 1 to 100 characters","code":"VALIDATION_ERROR","details":{"reason":"INVALID_FIELD","fields":{"name":"…"}},"requestId":"…"}
\`\`\`

\`code\` is one of eight fixed values, and \`details.reason\` is more specific. Include the \`requestId\`, which is also in the \`x-request-id\` header, in bug reports. If a retry can succeed, \`Retry-After\` contains the seconds to wait.
`;

/** Renders the error reference of the management API, one table per code. */
export function describeManagementErrors(): string {
  const byCode = Map.groupBy(managementReasons, (reason) => failures[reason].management);
  const sections = [...byCode].map(([code, listed]) => {
    const rows = listed.map((reason) => {
      const { status, meaning } = failures[reason];
      return `| [\`${reason}\`](reasons/${reason}.md) | ${status} | ${meaning} |`;
    });
    return [`## ${code}`, "", "| Reason | Status | Meaning |", "|---|---|---|", ...rows, ""].join("\n");
  });
  return [intro, ...sections].join("\n");
}
