import { failures, type GatewayCode, gatewayCodes } from "../packages/contracts/src/failure-table.ts";

const intro = `# Gateway errors

Look up a gateway error by its code. Every error has this body, on every path:

\`\`\`json
{"error":{"message":"Invalid API key.","type":"authentication_error","param":null,"code":"invalid_api_key"}}
\`\`\`

Check \`code\` in programs. The \`x-gw-error-name\` header contains the error class, and \`x-gw-call-id\` contains the call ID to include in bug reports. A 422 also lists each problem under \`detail\`. With status 429 or 503, a retryable error has a \`retry-after\` header with the number of seconds to wait, and any other error has \`x-should-retry: false\`.
`;

/** Renders the error reference, one table per status. */
export function describeErrors(): string {
  const byStatus = Map.groupBy(gatewayCodes, (code) => failures[code].status);
  const sections = [...byStatus].sort(([one], [other]) => one - other).map(([status, codes]) => section(status, codes));
  return `${[intro, ...sections].join("\n")}`;
}

function section(status: number, codes: readonly GatewayCode[]): string {
  const rows = codes.map((code) => {
    const { name, type, retryable, meaning } = failures[code];
    return `| [\`${code}\`](codes/${code}.md) | ${name} | \`${type}\` | ${retryable ? "yes" : "no"} | ${meaning} |`;
  });
  return [`## ${status}`, "", "| Code | Class | Type | Retry | Meaning |", "|---|---|---|---|---|", ...rows, ""].join(
    "\n",
  );
}
