import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { root } from "../paths.ts";

export const folder = `${root}/deploy/compose`;

/** Compose files that are started together. */
export const projects: Readonly<Record<string, readonly string[]>> = {
  minimal: ["compose.minimal.yaml"],
  standard: ["compose.yaml"],
  observability: ["compose.yaml", "compose.observability.yaml"],
};

export const files = [...new Set(Object.values(projects).flat())];

export interface Service {
  readonly [field: string]: unknown;
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean }>>;
}

export const readCompose = (file: string): ComposeFile =>
  parse(readFileSync(`${folder}/${file}`, "utf8"), { merge: true }) as ComposeFile;
