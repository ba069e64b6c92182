import { readFileSync } from "node:fs";
import { isMap, isScalar, parseDocument, type YAMLMap } from "yaml";
import { chart } from "../paths.ts";

/**
 * Returns the chart's README.md, which lists what the chart creates and has one row for each documented value in
 * values.yaml.
 */
export function writeReadme(): string {
  const values = parseDocument(readFileSync(`${chart}/values.yaml`, "utf8")).contents as YAMLMap;
  const rows = listValues(values, "").map(({ path, text, standard }) => `| \`${path}\` | ${text} | ${standard} |`);
  return `# Tollgate Helm chart

Install Tollgate in Kubernetes: gateways as a StatefulSet with a volume each, workers and optional platforms as Deployments,
and a migration before every install and upgrade. You need Kubernetes 1.30 or later, an existing PostgreSQL 15 or later, and a
Secret.

\`\`\`
kubectl create secret generic tollgate \\
  --from-literal=DATABASE_URL=postgres://… --from-literal=TOLLGATE_SECRET_KEY=$(openssl rand -hex 32)
helm install tollgate deploy/helm/tollgate --values deploy/helm/tollgate/examples/minimal.yaml
\`\`\`

For instructions, see [Helm](../../../docs/deploy/helm.md). Example values are in [examples](examples). This page is generated
from \`values.yaml\` by \`scripts/deploy-check --write\`.

| Value | Description | Default |
|---|---|---|
${rows.join("\n")}
`;
}

interface Row {
  readonly path: string;
  readonly text: string;
  readonly standard: string;
}

function listValues(map: YAMLMap, prefix: string): Row[] {
  return map.items.flatMap((pair, index) => {
    if (!isScalar(pair.key)) return [];
    const path = `${prefix}${pair.key.value}`;
    // The parser attaches the comment on a map's first key to the map.
    const comment = pair.key.commentBefore ?? (index === 0 ? map.commentBefore : null) ?? "";
    const text = /(?:^|\n) -- (.*)/.exec(comment)?.[1];
    if (text !== undefined) return [{ path, text, standard: showDefault(pair.value) }];
    if (isMap(pair.value)) return listValues(pair.value as YAMLMap, `${path}.`);
    throw new Error(`${path} has no explanation in values.yaml`);
  });
}

function showDefault(value: unknown): string {
  const plain = isScalar(value) ? value.value : (value as YAMLMap).toJSON();
  return plain === "" ? "–" : `\`${JSON.stringify(plain)}\``;
}
