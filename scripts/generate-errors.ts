import { type FailureCode, failures } from "../packages/contracts/src/failures.ts";

const intro = `# Errors

Every refusal of the gateway has this body, whatever the path:

\`\`\`json
{"error":{"message":"Invalid API key.","type":"authentication_error","param":null,"code":"invalid_api_key"}}
\`\`\`

\`code\` is what programs should look at. The header \`x-gw-error-name\` names the class of the error, and \`x-gw-call-id\`
is the id to quote when reporting one. A 422 also lists each problem under \`detail\`. An error that is worth another try
says how long to wait in \`retry-after\` when its status is 429 or 503; one that is not says \`x-should-retry: false\` there.
`;

/** The error reference, one table per status. */
export function describeErrors(): string {
  const byStatus = Map.groupBy(Object.keys(failures) as FailureCode[], (code) => failures[code].status);
  const sections = [...byStatus].sort(([one], [other]) => one - other).map(([status, codes]) => section(status, codes));
  return `${[intro, ...sections].join("\n")}`;
}

function section(status: number, codes: readonly FailureCode[]): string {
  const rows = codes.map((code) => {
    const { name, type, retryable, meaning } = failures[code];
    return `| [\`${code}\`](codes/${code}.md) | ${name} | \`${type}\` | ${retryable ? "yes" : "no"} | ${meaning} |`;
  });
  return [
    `## ${status}`,
    "",
    "| Code | Name | Type | Try again | Meaning |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
