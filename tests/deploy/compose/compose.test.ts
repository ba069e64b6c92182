import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { files, folder, readCompose } from "./files.ts";
import { makeSecretsElsewhere } from "./secrets.ts";

const secrets = makeSecretsElsewhere();
afterAll(() => rmSync(secrets.folder, { recursive: true, force: true }));
const services = files.flatMap((file) => Object.entries(readCompose(file).services));

describe.each(files)("%s", (file) => {
  const text = readFileSync(`${folder}/${file}`, "utf8");
  const { services, networks } = readCompose(file);

  test("has no default password, and fails with instructions if it is started without secrets", () => {
    for (const [, name = "", fallback = ""] of text.matchAll(/\$\{(\w+)(.*?)\}/g)) {
      if (/PASSWORD|KEY/.test(name)) expect([name, fallback]).toEqual([name, ":?run ./make-secrets first"]);
    }
  });

  test("needs only secrets that make-secrets creates", () => {
    const made = Object.keys(secrets.make());
    const wanted = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEY))/g)].map(([, name]) => name);
    expect(wanted.length).toBeGreaterThan(0);
    for (const name of wanted) expect(made).toContain(name);
  });

  test("pins every image to a version", () => {
    for (const { image } of Object.values(services)) {
      if (image !== undefined) expect(image).toMatch(/(:v?\d+\.\d+[\w.-]*|:-tollgate:\d+\.\d+\.\d+\})$/);
    }
  });

  test("opens ports only on this computer by default", () => {
    for (const port of Object.values(services).flatMap(({ ports = [] }) => ports)) {
      expect(port).toMatch(/^\$\{\w+_LISTEN:-127\.0\.0\.1:\d+\}:\d+$/);
    }
  });

  test("puts databases and brokers on an internal network and does not publish their ports", () => {
    for (const name of ["postgres", "redis", "nats"]) {
      const engine = services[name];
      if (engine === undefined) continue;
      expect(engine.networks).toEqual(["engines"]);
      expect(networks?.engines).toEqual({ internal: true });
      expect(engine.ports).toBeUndefined();
      expect(engine.healthcheck).toBeDefined();
    }
  });
});

test("services start after their dependencies are healthy, and gateways after the migration succeeds", () => {
  const { gateway, migrate } = readCompose("compose.yaml").services;
  expect(gateway?.depends_on).toMatchObject({
    migrate: { condition: "service_completed_successfully" },
    redis: { condition: "service_healthy" },
    nats: { condition: "service_healthy" },
  });
  expect(gateway?.environment?.TOLLGATE_MIGRATE_ON_START).toBe("false");
  expect(migrate?.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
  expect(migrate).toMatchObject({ command: ["migrate", "up"], restart: "no" });
});

test("Tollgate containers write only to their volume and /tmp, have no capabilities, and get enough time to drain", () => {
  const ours = services.filter(([, { image }]) => image?.includes("TOLLGATE_IMAGE"));
  expect(ours.map(([name]) => name).sort()).toEqual(["gateway", "gateway", "migrate"]);
  for (const [name, service] of ours) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
    if (name === "gateway") expect(service.stop_grace_period).toBe("135s");
  }
});

test("Grafana and Prometheus read the files in deploy/observability", () => {
  const mounted = services.flatMap(([, { volumes = [] }]) => volumes).filter((volume) => volume.startsWith("."));
  expect(mounted.length).toBeGreaterThan(6);
  for (const volume of mounted) expect(() => statSync(join(folder, volume.split(":")[0] as string))).not.toThrow();
});

test("secrets are long, unique, and readable only by their owner, and do not change when make-secrets runs again", () => {
  const first = secrets.make();
  expect(secrets.make()).toEqual(first);
  const values = Object.values(first);
  expect(new Set(values).size).toBe(values.length);
  for (const value of values) expect(value.length).toBeGreaterThanOrEqual(48);
  expect(statSync(join(secrets.folder, ".env")).mode & 0o077).toBe(0);
});
