import type { Findings } from "./findings.ts";
import { findSimilarVariables } from "./near-misses.ts";
import type { SourceMap, SourceScalar } from "./source-tree.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = "os.environ/";

/** Reports whether the text is a reference to an environment variable. */
function isReference(node: SourceScalar): boolean {
  return typeof node.value === "string" && node.value.startsWith(REFERENCE);
}

/** Replaces `os.environ/NAME` with the variable's value; null if the variable isn't set. */
export function followReference(node: SourceScalar, environment: Environment): SourceScalar | null {
  if (!isReference(node)) return node;
  const variable = node.text.slice(REFERENCE.length);
  const value = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
  return value === undefined ? null : { ...node, text: value, value, variable };
}

/** Like `followReference`, but reports a missing variable as a problem that suggests similar names. */
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
 * Reads the file's `environment_variables` section. Its variables take precedence over the process environment, as in
 * LiteLLM. The process environment is never modified.
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
