import { notYet } from "./questions/questions.ts";
import { reasons } from "./reasons/reasons.ts";
import type { Row } from "./rows.ts";

/** The page that tells how Tollgate and LiteLLM differ. */
export function writeTable(rows: readonly Row[], questionCount: number, version: string): string {
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  return `# Where Tollgate and LiteLLM differ

Written by \`bin/pnpm conformance --only oracle --write\`; not to be edited. LiteLLM ${version} and Tollgate were started
on the same models in front of the same scripted upstream (OpenAI's, Anthropic's, Gemini's and Cohere's wires) and asked the same
${questionCount} questions. Compared were the status, the headers both send, the body, and what the upstream was asked. Names that
begin with \`x-litellm-\` and \`x-gw-\` are taken for the same; ids and times are left out, and so are spaces inside JSON
texts and the two spellings Google reads. Streams are compared by what they add up to and by the fields that occur.

**${rows.length} differences**, each with its reason. Not compared yet: ${notYet.join(", ")}.

## Reasons

| Reason | Differences | Why |
|---|---|---|
${reasons.map((reason) => `| ${reason.name} | ${countOf(rows, reason.name)} | ${cell(reason.because)} |`).join("\n")}

${operations.map((operation) => writeOperation(operation, rows)).join("\n\n")}
`;
}

function countOf(rows: readonly Row[], name: string): number {
  return rows.filter(({ reason }) => reason?.name === name).length;
}

/** Differences that are the same in several scenarios share a line. */
function writeOperation(operation: string, rows: readonly Row[]): string {
  const lines = new Map<string, { row: Row; scenarios: string[] }>();
  for (const row of rows.filter((one) => one.operation === operation)) {
    const key = JSON.stringify([row.place, row.theirs, row.ours, row.reason?.name]);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { row, scenarios: [row.scenario] });
    else line.scenarios.push(row.scenario);
  }
  return `## ${operation[0]?.toUpperCase()}${operation.slice(1)}

| Scenario | Where | LiteLLM | Tollgate | Reason |
|---|---|---|---|---|
${[...lines.values()].map(({ row, scenarios }) => writeLine(row, scenarios)).join("\n")}`;
}

function writeLine({ place, theirs, ours, reason }: Row, scenarios: readonly string[]): string {
  const [first = ""] = scenarios;
  const scenario = scenarios.length === 1 ? first : `${first}, and ${scenarios.length - 1} more`;
  return `| ${cell(scenario)} | ${code(place)} | ${code(theirs)} | ${code(ours)} | ${reason?.name ?? "**none**"} |`;
}

function code(text: string): string {
  return text === "–" ? text : `\`\` ${cell(text)} \`\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
