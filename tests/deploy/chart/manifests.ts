import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { manifests } from "../paths.ts";

/** A Kubernetes object. It is loosely typed, because a schema has already validated it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: PodOwner;
  readonly data?: Readonly<Record<string, string>>;
}

export interface PodOwner {
  readonly [field: string]: unknown;
  readonly template: { readonly spec: PodSpec };
}

export interface PodSpec {
  readonly [field: string]: unknown;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
}

export interface Container {
  readonly [field: string]: unknown;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object = document.toJS() as Manifest | null;
    return object === null ? [] : [object];
  });
}

/** Returns the committed manifests for an example. */
export function readManifests(example: string): Manifest[] {
  return parseManifests(readFileSync(`${manifests}/${example}.yaml`, "utf8"));
}
