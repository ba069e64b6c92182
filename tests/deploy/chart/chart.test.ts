import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chart, root } from "../paths.ts";
import { examples } from "./helm.ts";
import { type Container, type Manifest, readManifests } from "./manifests.ts";

// Tests the chart's promises on the committed manifests. `scripts/deploy-check` verifies that the chart renders exactly
// these manifests.

const withPods = ["StatefulSet", "Deployment", "Job"];
const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const find = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const containerOf = (manifest: Manifest) => manifest.spec.template.spec.containers[0] as Container;
const variable = (manifest: Manifest, name: string) =>
  containerOf(manifest).env?.find((entry) => entry.name === name)?.value;

describe.each(examples)("the chart with the values of %s", (example) => {
  const manifests = readManifests(example);
  const gateway = find(manifests, "StatefulSet", "tollgate-gateway");
  const pods = manifests.filter(({ kind }) => withPods.includes(kind));
  const running = pods.filter(({ kind }) => kind !== "Job");

  test("gives each gateway its own volume, which only one pod can mount and which is never deleted automatically", () => {
    expect(gateway.spec.volumeClaimTemplates).toMatchObject([
      { metadata: { name: "journal" }, spec: { accessModes: ["ReadWriteOncePod"] } },
    ]);
    expect(containerOf(gateway).volumeMounts).toContainEqual({ name: "journal", mountPath: "/data" });
    expect(variable(gateway, "TOLLGATE_JOURNAL_DIR")).toBe("/data/journal");
    expect(gateway.spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: "Retain", whenScaled: "Retain" });
  });

  test("runs no pod as root, or with a writable image, a capability, or a Kubernetes token", () => {
    for (const { spec } of pods) {
      const pod = spec.template.spec;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(pod.securityContext.runAsUser).toBeGreaterThan(9_999);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });

  test("runs every pod as the image's user", () => {
    const [, user] = /^USER (\d+):\d+$/m.exec(readFileSync(`${root}/deploy/Dockerfile`, "utf8")) ?? [];
    for (const { spec } of pods) expect(String(spec.template.spec.securityContext.runAsUser)).toBe(user);
  });

  test("runs the migration job alone before a release and deletes the job on success", () => {
    const [migration, ...others] = ofKind(manifests, "Job");
    expect(others).toEqual([]);
    expect(migration?.metadata.annotations).toMatchObject({
      "helm.sh/hook": "pre-install,pre-upgrade",
      "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    });
    expect(containerOf(migration as Manifest).args).toEqual(["migrate", "up"]);
    for (const manifest of running) expect(variable(manifest, "TOLLGATE_MIGRATE_ON_START")).toBe("false");
  });

  test("runs the migration without resources that the release creates later", () => {
    const text = JSON.stringify(ofKind(manifests, "Job")[0]?.spec.template.spec);
    expect(text).not.toMatch(/configMap|serviceAccountName/);
  });

  test("sets startup, readiness, and liveness probes and a preStop hook for every listening pod", () => {
    for (const manifest of running) {
      const container = containerOf(manifest);
      if (container.ports === undefined) continue;
      const [startup, readiness, liveness] = manifest.metadata.name.endsWith("-platform")
        ? ["/api/health", "/api/ready", "/api/health"]
        : ["/health/startup", "/health/readiness", "/health/liveness"];
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: startup } },
        readinessProbe: { httpGet: { path: readiness } },
        livenessProbe: { httpGet: { path: liveness } },
      });
      const { command } = (container.lifecycle as { preStop: { exec: { command: string[] } } }).preStop.exec;
      expect(command).toEqual(["/usr/local/bin/node", "--eval", 'process.kill(1, "SIGUSR2")']);
    }
  });

  test("gives a pod fifteen seconds more than its drain timeout to stop", () => {
    for (const manifest of running) {
      const drain = Number(variable(manifest, "TOLLGATE_DRAIN_TIMEOUT"));
      expect(manifest.spec.template.spec.terminationGracePeriodSeconds).toBe(drain + 15);
    }
  });

  test("keeps each platform and worker pod during an update until its replacement is ready", () => {
    for (const { spec } of ofKind(manifests, "Deployment")) {
      expect(spec.strategy).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
    }
  });

  test("sets a disruption budget and a topology spread for every type of pod", () => {
    const budgets = ofKind(manifests, "PodDisruptionBudget").map(({ metadata }) => metadata.name);
    for (const { metadata, spec } of running) {
      expect(budgets).toContain(metadata.name);
      expect(spec.template.spec.topologySpreadConstraints).not.toEqual([]);
    }
  });

  test("uses a versioned image, and reads every secret from an existing Secret", () => {
    expect(ofKind(manifests, "Secret")).toEqual([]);
    for (const manifest of pods) {
      expect(containerOf(manifest).image).toMatch(/^tollgate:\d+\.\d+\.\d+$/);
      expect(containerOf(manifest).envFrom).toEqual([{ secretRef: { name: "tollgate" } }]);
    }
  });

  test("allows no ingress to workers, and gives them a gateway that accepts their internal tokens", () => {
    const policy = find(manifests, "NetworkPolicy", "tollgate-worker");
    expect(policy.spec.ingress).toEqual([]);
    const worker = find(manifests, "Deployment", "tollgate-worker");
    const service = find(manifests, "Service", "tollgate-gateway");
    const [{ port }] = service.spec.ports as [{ port: number }];
    expect(variable(worker, "TOLLGATE_GATEWAY_URL")).toBe(`http://tollgate-gateway:${port}`);
    const settings = parse(find(manifests, "ConfigMap", "tollgate-settings").data?.["tollgate.yaml"] ?? "");
    expect(settings.general_settings.internal_addresses).not.toEqual([]);
  });
});

test("only the autoscaler sets the number of gateways, and each gateway drains before the next one stops", () => {
  const manifests = readManifests("high-availability");
  const gateway = find(manifests, "StatefulSet", "tollgate-gateway");
  const { spec } = find(manifests, "HorizontalPodAutoscaler", "tollgate-gateway");
  expect(gateway.spec.replicas).toBeUndefined();
  expect(spec.scaleTargetRef).toMatchObject({ kind: "StatefulSet", name: "tollgate-gateway" });
  const { scaleDown } = spec.behavior as { scaleDown: { policies: { value: number; periodSeconds: number }[] } };
  expect(scaleDown.policies[0]?.value).toBe(1);
  expect(scaleDown.policies[0]?.periodSeconds).toBeGreaterThanOrEqual(
    gateway.spec.template.spec.terminationGracePeriodSeconds as number,
  );
});

test("in split mode, gateways don't serve the management API, and the management host name routes to the platform", () => {
  const manifests = readManifests("split");
  expect(containerOf(find(manifests, "StatefulSet", "tollgate-gateway")).args).toContain("gateway");
  const { rules } = find(manifests, "Ingress", "tollgate").spec as unknown as {
    rules: { host: string; http: { paths: { backend: { service: { name: string } } }[] } }[];
  };
  expect(rules.map(({ host, http }) => [host, http.paths.map(({ backend }) => backend.service.name)])).toEqual([
    ["inference.example.com", ["tollgate-gateway"]],
    ["admin.example.com", ["tollgate-platform"]],
  ]);
});

test("behind an ingress, streams are not buffered, and the ingress's IP addresses are trusted", () => {
  const manifests = readManifests("external-database");
  const { annotations } = find(manifests, "Ingress", "tollgate").metadata;
  expect(annotations).toMatchObject({
    "nginx.ingress.kubernetes.io/proxy-buffering": "off",
    "nginx.ingress.kubernetes.io/proxy-request-buffering": "off",
  });
  const settings = parse(find(manifests, "ConfigMap", "tollgate-settings").data?.["tollgate.yaml"] ?? "");
  expect(settings.general_settings.trusted_proxies).toEqual(["10.4.0.0/14"]);
});

test("the annotations in the sample ingress match the annotations that the chart sets", () => {
  const sample = parse(readFileSync(`${root}/deploy/proxies/ingress-nginx.yaml`, "utf8"));
  const values = parse(readFileSync(`${chart}/values.yaml`, "utf8"));
  expect(sample.metadata.annotations).toEqual(values.ingress.annotations);
});

test("network policies block egress to cloud metadata services", () => {
  for (const { spec } of ofKind(readManifests("external-database"), "NetworkPolicy")) {
    expect(JSON.stringify(spec.egress)).toContain('"169.254.0.0/16"');
  }
});

test("the chart's version is the program's version", () => {
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const { version: own, appVersion } = parse(readFileSync(`${chart}/Chart.yaml`, "utf8"));
  expect([own, appVersion]).toEqual([version, version]);
});
