import { readFileSync } from "node:fs";
import { root } from "../paths.ts";

export interface Instruction {
  readonly name: string;
  readonly value: string;
}

export interface Stage {
  readonly base: string;
  readonly alias: string | null;
  readonly instructions: readonly Instruction[];
}

/** Returns the stages of deploy/Dockerfile in order. The last stage is the image. */
export function readDockerfile(): readonly Stage[] {
  const text = readFileSync(`${root}/deploy/Dockerfile`, "utf8");
  return parseDockerfile(text);
}

export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: { base: string; alias: string | null; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") {
      const [base = "", , alias = null] = value.split(/\s+/);
      stages.push({ base, alias, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, value });
  }
  return stages;
}

/** Returns the values of all instructions with this name, in order. */
export const valuesOf = (stage: Stage, name: string): string[] =>
  stage.instructions.filter((instruction) => instruction.name === name).map(({ value }) => value);

/** Settings that the image runs with. */
export interface ImageSettings {
  readonly user: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

export function readImageSettings(stage: Stage): ImageSettings {
  const last = (name: string) => valuesOf(stage, name).at(-1) ?? "";
  const pairs = valuesOf(stage, "ENV").flatMap((value) => value.split(/\s+/));
  return {
    user: last("USER"),
    workdir: last("WORKDIR"),
    env: Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string])),
    entrypoint: JSON.parse(last("ENTRYPOINT")),
    command: JSON.parse(last("CMD")),
    healthCheck: JSON.parse(last("HEALTHCHECK").replace(/^.*?CMD\s+/, "")),
  };
}
