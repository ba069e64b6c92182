import type { Findings } from "./findings.ts";
import { findSimilarVariables } from "./near-misses.ts";
import type { SourceMap, SourceScalar } from "./source-tree.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = "os.environ/";

/** Whether the text stands for a variable's value rather than for itself. */
function isReference(node: SourceScalar): boolean {
  return typeof node.value === "string" && node.value.startsWith(REFERENCE);
}

/** The scalar with its `os.environ/NAME` replaced by that variable's value; null when it is not set. */
export function followReference(node: SourceScalar, environment: Environment): SourceScalar | null {
  if (!isReference(node)) return node;
  const variable = node.text.slice(REFERENCE.length);
  const value = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
  return value === undefined ? null : { ...node, text: value, value, variable };
}

/** Like `followReference`, and a variable that is not set becomes a problem that names those it may be confused with. */
export function resolveReference(
  node: SourceScalar,
  environment: Environment,
  findings: Findings,
): SourceScalar | null {
  const followed = followReference(node, environment);
  if (followed !== null) return followed;
  const variable = node.text.slice(REFERENCE.length);
  const set = Object.keys(environment).filter((name) => environment[name] !== undefined);
  const similar = findSimilarVariables(variable, set);
  const hint = similar.length === 0 ? "" : ` Similar and set: ${similar.join(", ")}`;
  findings.refuse(node.place, `${node.name}: ${node.text}`, `the environment variable is not set.${hint}`);
  return null;
}

/**
 * The variables of the file's own `environment_variables` section. They win over the process's, as people who move from
 * LiteLLM expect, and the process's own environment is never written.
 */
export function readEnvironmentSection(
  tree: SourceMap,
  environment: Environment,
  findings: Findings,
): Readonly<Record<string, string>> {
  const section = tree.entries.get("environment_variables")?.value;
  if (section?.kind !== "map") return {};
  const own: [string, string][] = [];
  for (const [name, { value }] of section.entries) {
    if (value.kind !== "scalar") {
      findings.refuse(value.place, name, "expected the variable's value to be a string");
    } else if (value.value !== null) {
      const resolved = resolveReference(value, environment, findings);
      if (resolved !== null) own.push([name, resolved.text]);
    }
  }
  return Object.fromEntries(own);
}
