import assert from "node:assert/strict";
import type { Report } from "@tollgate/testkit/report.ts";
import { examples } from "./chart/helm.ts";
import { type Manifest, readManifests } from "./chart/manifests.ts";
import { files, readCompose } from "./compose/files.ts";
import { createComposeValidator } from "./schemas/compose.ts";
import { createKubernetesValidator } from "./schemas/kubernetes.ts";

/** Validates the committed manifests and Compose files against the Kubernetes and Compose schemas. */
export async function checkSchemas(report: Report): Promise<void> {
  const validate = createKubernetesValidator();
  for (const example of examples) {
    await report.check("schemas", `kubernetes/${example}.yaml fits the schemas`, () => {
      const manifests = readManifests(example);
      assert.deepEqual(manifests.flatMap(validate), []);
      return `${manifests.length} objects`;
    });
  }
  await report.check("schemas", "a misspelt field is refused, at any depth", () => {
    const gateway = readManifests("minimal").find(({ kind }) => kind === "StatefulSet") as Manifest;
    const container = gateway.spec.template.spec.containers[0] as { [field: string]: unknown };
    container.readinesProbe = container.readinessProbe;
    assert.match(validate(gateway).join(), /readinesProbe/);
  });
  await report.check("schemas", "an unknown kind, and a custom one that is misspelt, are refused", () => {
    const monitor = readManifests("high-availability").find(({ kind }) => kind === "ServiceMonitor") as Manifest;
    assert.match(validate({ ...monitor, apiVersion: "monitoring.coreos.com/v9" }).join(), /there is no ServiceMonitor/);
    assert.match(validate({ ...monitor, spec: { ...monitor.spec, endpoint: [] } }).join(), /endpoint/);
  });
  const validateCompose = createComposeValidator();
  for (const file of files) {
    await report.check("schemas", `compose/${file} fits the schema`, () => {
      const compose = readCompose(file);
      assert.deepEqual(validateCompose(compose), []);
      const gateway = { ...compose.services.gateway, read_olny: true };
      assert.notDeepEqual(validateCompose({ ...compose, services: { gateway } }), []);
    });
  }
}
