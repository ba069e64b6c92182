import type { SourceMap, SourceNode, SourceScalar } from "./source-tree.ts";

const SECRET_NAME = /key|secret|token|password|credential/i;
/** Names that look like secrets but are prices, limits, or references. */
const OPEN_NAME = /_cost($|_)|^max_(.+_)?tokens$|_limit$|^litellm_credential_name$/;
/** Headers can contain credentials under any name, so no headers are shown. */
const HEADER_NAME = /headers$/i;

/** Reports whether a field with this name must never be printed. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !OPEN_NAME.test(name);
}

/**
 * Returns the settings as written, without secrets. References in top-level fields are resolved, because URLs are shown
 * as used. Nested references are left as written, because their values may be secret.
 */
export function showWithoutSecrets(
  node: SourceMap,
  follow: (scalar: SourceScalar) => SourceScalar,
): Readonly<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  for (const [name, { value }] of node.entries) {
    if (isSecretName(name) || HEADER_NAME.test(name)) continue;
    const shown = show(value.kind === "scalar" ? follow(value) : value);
    if (shown !== undefined) fields.push([name, shown]);
  }
  return Object.fromEntries(fields);
}

function show(node: SourceNode): unknown {
  if (node.kind === "map") return showWithoutSecrets(node, (scalar) => scalar);
  if (node.kind === "list") return node.items.map(show).filter((item) => item !== undefined);
  if (typeof node.value !== "string") return node.value ?? undefined;
  return node.value.startsWith("sk-") ? undefined : withoutUserInfo(node.value);
}

/** Removes the user name and password from a URL. */
export function withoutUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}
