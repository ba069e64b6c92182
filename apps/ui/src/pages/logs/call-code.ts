import { pathOf } from "../../components/logged-call.ts";

interface CallFacts {
  readonly apiUrl: string;
  readonly keyHeader: string;
  readonly endpoint: string;
  /** Request body as JSON text. */
  readonly request: string;
}

const VARIABLE = "TOLLGATE_API_KEY";

/**
 * Renders the logged request in three languages. The code reads the secret from the environment, because the console
 * doesn't have it.
 */
export function callCode(facts: CallFacts): Readonly<Record<"curl" | "TypeScript" | "Python", string>> {
  const url = facts.apiUrl + pathOf(facts.endpoint);
  const prefix = facts.keyHeader.toLowerCase() === "authorization" ? "Bearer " : "";
  const body = readBody(facts.request);
  return {
    curl: [
      `curl ${url} \\`,
      `  -H "${facts.keyHeader}: ${prefix}$${VARIABLE}" \\`,
      `  -H "content-type: application/json" \\`,
      `  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
    ].join("\n"),
    TypeScript: [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      `  method: "POST",`,
      "  headers: {",
      `    ${JSON.stringify(facts.keyHeader)}: \`${prefix}\${process.env.${VARIABLE}}\`,`,
      `    "content-type": "application/json",`,
      "  },",
      `  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), "  ")}),`,
      "});",
      "console.log(await response.text());",
    ].join("\n"),
    Python: [
      "import os",
      "",
      "import requests",
      "",
      "response = requests.post(",
      `    ${JSON.stringify(url)},`,
      `    headers={${JSON.stringify(facts.keyHeader)}: f"${prefix}{os.environ['${VARIABLE}']}"},`,
      `    json=${toPython(body, "    ")},`,
      ")",
      "print(response.text)",
    ].join("\n"),
  };
}

/** Formats a value as a Python literal. Only three keywords differ from JSON. */
function toPython(value: unknown, margin: string): string {
  const inner = `${margin}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) {
    return value.length === 0
      ? "[]"
      : `[\n${value.map((each) => `${inner}${toPython(each, inner)},\n`).join("")}${margin}]`;
  }
  if (typeof value === "object") {
    const lines = Object.entries(value).map(
      ([name, each]) => `${inner}${JSON.stringify(name)}: ${toPython(each, inner)},\n`,
    );
    return lines.length === 0 ? "{}" : `{\n${lines.join("")}${margin}}`;
  }
  return JSON.stringify(value);
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function indent(text: string, margin: string): string {
  return text.replaceAll("\n", `\n${margin}`);
}
